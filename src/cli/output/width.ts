const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/gu
const narrow = /\p{Mn}|\p{Me}|\p{Cf}/gu

/** The width of a text in terminal columns. */
export function widthOf(text: string): number {
  // Fast path for plain text.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  const plain = text.replace(narrow, '')
  return [...plain].length + (plain.match(wide)?.length ?? 0)
}
