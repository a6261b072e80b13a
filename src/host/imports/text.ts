import { domainToASCII } from 'node:url'

/** The lines of a text: any line ends, with or without a byte order mark or a last newline. */
export const linesOf = (text: string): string[] => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Text of files that were written before UTF-8. */
export function decoded(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? bytes.toString('latin1') : text
}

/** `KEY=value` lines: the first value of a key wins. */
export function keyValues(text: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const line of linesOf(text)) {
    const at = line.indexOf('=')
    const key = line.slice(0, at).trim()
    if (at <= 0 || key.startsWith('#') || values.has(key)) continue
    values.set(key, line.slice(at + 1).trim())
  }
  return values
}

/** A word of an archive for a message: control characters escaped, at most 200 characters. */
export function escaped(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029\uFFFD]/gu, (one) => {
    const code = one.codePointAt(0)!
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
  return clean.length > MAX_ESCAPED_LENGTH ? `${clean.slice(0, MAX_ESCAPED_LENGTH)}…` : clean
}

const MAX_ESCAPED_LENGTH = 200

const fqdn = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/

/** Whether a text of an archive may be the name of a domain. */
export const isDomain = (text: string): boolean => text.length <= 253 && fqdn.test(text)

/** The name of a domain in ASCII, as far as it is one. */
export function asciiDomain(text: string): string | undefined {
  const name = text.trim().toLowerCase().replace(/\.$/, '')
  const ascii = /^[\x20-\x7e]*$/.test(name) ? name : domainToASCII(name)
  return isDomain(ascii) ? ascii : undefined
}

/** A name of the archive, one character a byte, as text. */
export const nameText = (bytes: string): string => decoded(Buffer.from(bytes, 'latin1'))
