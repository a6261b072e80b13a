import { readFileSync } from 'node:fs'

let content: Buffer | undefined

/** The bytes of standard input, which is read once. */
export function standardInputBytes(): Buffer {
  content ??= readFileSync(0)
  return content
}

export const readStandardInput = (): string => standardInputBytes().toString('utf8')
