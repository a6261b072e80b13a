/** A folder's directory name in modified UTF-7 (RFC 3501, 5.1.3), which is how Dovecot names it; one character a byte. */
export function imapFolder(name: string): string {
  return name.startsWith('.') ? encoded(name) : name
}

/** The list of folders that are shown, with the names that their directories get; one character a byte. */
export const subscriptions = (list: string): string =>
  list
    .split(/([\n\t])/)
    .map(encoded)
    .join('')

function encoded(name: string): string {
  if (!/[\x80-\xff]/.test(name)) return name
  const text = Buffer.from(name, 'latin1').toString('utf8')
  if (text.includes('\uFFFD')) return name
  return text.replaceAll(/&|[^\x20-\x7e]+/gu, (one) => (one === '&' ? '&-' : `&${base64(one)}-`))
}

const base64 = (text: string): string =>
  Buffer.from(text, 'utf16le').swap16().toString('base64').replaceAll('/', ',').replaceAll('=', '')
