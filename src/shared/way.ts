/** Whether an address is a page below a home such as `/user/`, however often its parts are decoded. */
export function isBelow(address: string, home: string): boolean {
  const [path = ''] = address.split(/[?#]/, 1)
  return address.startsWith(home) && isPlain(address) && staysBelow(path, home)
}

/** Printable ASCII, without what browsers read as another slash. */
const isPlain = (address: string): boolean =>
  /^[\x21-\x7e]+$/.test(address) && !address.includes('\\') && !address.includes('//')

/** Each part of the path, decoded as often as it can be, is a plain name. */
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
