/**
 * A TXT record's value is its text. Where the text has several strings that are not merely cut at 255 bytes, which some
 * programs read as an entry each (RFC 6763), the value is the strings in quotes: `"a=1" "b=2"`.
 */
const notation = /^"(?:[^"\\]|\\["\\])*"(?: "(?:[^"\\]|\\["\\])*")*$/
const one = /"((?:[^"\\]|\\["\\])*)"/g

/** The strings of such a value; undefined for a text. */
export function stringsOf(value: string): string[] | undefined {
  if (!notation.test(value)) return undefined
  return [...value.matchAll(one)].map(([, text]) => text!.replace(/\\(["\\])/g, '$1'))
}

/** Whether a text would be read as a zone file's: a string in quotes, perhaps within parentheses or before a comment. */
const isNotation = (text: string): boolean => /^\s*\(?\s*"(?:[^"\\]|\\.)*"\s*["();]/s.test(text)

/** The value of a TXT record with these strings. */
export function valueOfStrings(strings: readonly string[]): string {
  const [first = '', ...others] = strings
  const isText = others.length === 0 && !(first.startsWith('"') && first.endsWith('"')) && !isNotation(first)
  return isText ? first : strings.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(' ')
}

/** A TXT record's text, with its strings joined. */
export const textOf = (value: string): string => stringsOf(value)?.join('') ?? value
