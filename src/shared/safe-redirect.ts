/** Whether a URL is a page below a home such as `/user/`, however often it is decoded. */
export function isBelow(address: string, home: string): boolean {
  const [path = ''] = address.split(/[?#]/, 1)
  return address.startsWith(home) && isPlain(address) && staysBelow(path, home)
}

/** Printable ASCII, without characters that browsers read as a slash. */
const isPlain = (address: string): boolean =>
  /^[\x21-\x7e]+$/.test(address) && !address.includes('\\') && !address.includes('//')

/** Each fully decoded part of the path is a plain name. */
function staysBelow(path: string, home: string): boolean {
  const parts = path.split('/').map(decodeFully)
  const plain = parts.every((part) => part !== undefined && part !== '.' && part !== '..' && !/[/\\\p{Cc}]/u.test(part))
  return plain && new URL(path, 'https://panel.invalid').pathname.startsWith(home)
}

function decodeFully(part: string): string | undefined {
  let text = part
  for (let round = 0; round < 5; round++) {
    const next = decodeOnce(text)
    if (next === undefined || next === text) return next
    text = next
  }
  return undefined
}

function decodeOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
