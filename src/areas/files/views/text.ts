/** How most lines end. With `mixed-`, signs in the text mark the line ends that differ. */
const newlines = ['lf', 'crlf', 'cr', 'mixed-lf', 'mixed-crlf'] as const
type Newline = (typeof newlines)[number]

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
  const newline = newlineOf(decoded)
  if (newline.startsWith('mixed-') && /[\u240d\u240a]/.test(decoded)) return 'Its lines end in different ways.'
  return { text: displayed(decoded, newline), newline }
}

function newlineOf(text: string): Newline {
  const pairs = text.split('\r\n').length - 1
  const [returns, feeds] = [text.split('\r').length - 1 - pairs, text.split('\n').length - 1 - pairs]
  if (returns === 0 && pairs === 0) return 'lf'
  if (feeds === 0 && (returns === 0 || pairs === 0)) return returns === 0 ? 'crlf' : 'cr'
  return pairs > feeds ? 'mixed-crlf' : 'mixed-lf'
}

/** What a text field holds: every newline is one, and ␍ and ␊ stand for what the others do not have. */
function displayed(text: string, newline: Newline): string {
  if (newline === 'cr') return text.replaceAll('\r', '\n')
  if (newline === 'mixed-lf') return text.replaceAll('\r', '␍')
  if (newline !== 'mixed-crlf') return text.replaceAll('\r\n', '\n')
  return text.replace(/\r\n|\r|\n/g, (end) => (end === '\r' ? '␍' : end === '\n' ? '␊\n' : '\n'))
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
  return new TextEncoder().encode(
    stored(
      typed.replace(/\r\n?/g, '\n'),
      newlines.find((one) => one === newline),
    ),
  )
}

function stored(text: string, newline: Newline = 'lf'): string {
  if (newline === 'cr') return text.replaceAll('\n', '\r')
  if (newline === 'crlf') return text.replaceAll('\n', '\r\n')
  if (newline === 'mixed-lf') return text.replaceAll('␍', '\r')
  if (newline === 'lf') return text
  return text.replace(/␊\n|␊|␍|\n/g, (end) => (end === '␍' ? '\r' : end === '\n' ? '\r\n' : '\n'))
}
