import { visibleJson } from './untrusted.ts'

/** Bytes of an answer's JSON. */
export const MAX_RESULT_BYTES = 16 * 1024

/** What a tool answers: `untrusted` lists the paths of text that strangers may have written. */
export interface ToolResult {
  readonly [field: string]: unknown
  readonly untrusted?: readonly string[]
}

export const sizeOf = (value: unknown): number => Buffer.byteLength(visibleJson(value))

/** As the protocol wants it; the text is the same JSON with invisible characters escaped. */
export const toolResult = (result: ToolResult) => ({
  content: [{ type: 'text' as const, text: visibleJson(result) }],
  structuredContent: result as Record<string, unknown>,
})
