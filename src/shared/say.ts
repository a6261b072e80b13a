export { type CurlRequest, curlLine, type Origin, sayCurl } from './say/curl.ts'
export { sayPanel } from './say/panel.ts'
export type { Said, Spoken } from './say/spoken.ts'
