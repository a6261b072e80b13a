type Newline = 'lf' | 'crlf'

/** A file as one can edit it, and what gives back its bytes exactly. */
export interface Text {
  readonly text: string
  readonly newline: Newline
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text in bytes, or why a text field would not give the same bytes back. */
export function textIn(bytes: Uint8Array): Text | string {
  const decoded = decode(bytes)
  if (decoded === undefined) return 'It is not text in UTF-8.'
  if (decoded.includes('\0')) return 'It holds NUL bytes.'
  const pairs = decoded.split('\r\n').length - 1
  const [returns, feeds] = [decoded.split('\r').length - 1, decoded.split('\n').length - 1]
  if (returns !== pairs || (pairs > 0 && feeds !== pairs)) return 'Its lines end in different ways.'
  return { text: decoded.replaceAll('\r\n', '\n'), newline: pairs > 0 ? 'crlf' : 'lf' }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Browsers send CRLF for every newline: the bytes get back those that the file has. */
export function bytesOf(typed: string, newline: string | null): Uint8Array {
  const text = typed.replace(/\r\n?/g, '\n')
  return new TextEncoder().encode(newline === 'crlf' ? text.replaceAll('\n', '\r\n') : text)
}
