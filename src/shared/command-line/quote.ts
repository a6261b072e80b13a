const plain = /^[A-Za-z0-9@%+=:,./_-]+$/

/** Quotes a word for a shell. */
export const quoted = (word: string): string => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** Control and invisible characters, direction overrides, and unpaired surrogates. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu

/** Whether a text looks like what it is. */
export const isSeen = (text: string): boolean => text.search(unseen) < 0

/** Escapes invisible characters: `\u{202e}`. */
export const visible = (text: string): string =>
  text.replace(unseen, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`)

const harmless = /^[\t\n\x20-\x7e]*$/

/** Escapes a text for display; keeps its lines, tabs and joiners. */
export const seen = (text: string): string =>
  harmless.test(text) ? text : text.replace(/[^\t\n\u200c\u200d]+/g, visible)

const unseenInJson = /[^\P{C}\n]|[\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu

/** JSON with invisible characters escaped. */
export function visibleJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent)
  return harmless.test(text) ? text : text.replace(unseenInJson, escapedUnits)
}

const escapedUnits = (one: string): string =>
  [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
