/** A recipient, and the address that the message was sent to before it was forwarded. */
export interface Recipient {
  readonly original: string
  readonly address: string
}

/** As much of a queue file as is read: its envelope comes first, a few hundred bytes for most messages. */
export const MAX_ENVELOPE_BYTES = 65_536
const MAX_LENGTH_BYTES = 5

/**
 * The recipients in a queue file of Postfix, which is records: a type, a length of 7-bit groups with the lowest first,
 * and so many bytes. Lengths, not text, end them, so an address with any content stays one. Undefined unless all of them
 * are before the message.
 */
export function recipientsIn(file: Buffer): readonly Recipient[] | undefined {
  const found: Recipient[] = []
  let original: string | undefined
  for (let at = 0; at < file.length; ) {
    const record = recordAt(file, at)
    if (!record) return undefined
    const { type, text } = record
    if (type === 'M') return found
    if (type === 'O') original = text
    if (type === 'R') found.push({ original: original || text, address: text })
    if (type === 'R' || type === 'D') original = undefined
    // The envelope goes on elsewhere in the file.
    if (type === 'p' && Number(text) !== 0) return undefined
    at = record.end
  }
  return undefined
}

function recordAt(file: Buffer, at: number): { type: string; text: string; end: number } | undefined {
  let length = 0
  for (let n = 1; n <= MAX_LENGTH_BYTES; n++) {
    const byte = file[at + n]
    if (byte === undefined) return undefined
    length += (byte & 0x7f) * 2 ** (7 * (n - 1))
    if (byte & 0x80) continue
    const start = at + n + 1
    const end = start + length
    if (end > file.length) return undefined
    return { type: String.fromCharCode(file[at]!), text: file.toString('utf8', start, end), end }
  }
  return undefined
}
