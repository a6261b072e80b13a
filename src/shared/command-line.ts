export type { CommandCall, CommandText } from './command-line/call.ts'
export { type CurlRequest, curlLine, type Origin, sayCurl } from './command-line/curl.ts'
export { sayPanel } from './command-line/panel.ts'
