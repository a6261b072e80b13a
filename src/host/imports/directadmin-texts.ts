import { decoded } from './text.ts'

/** A domain with a directory below `backup`. */
export interface DirectAdminDomain {
  readonly name: string
  /** One character a byte. */
  readonly folder: string
  readonly settings: ReadonlyMap<string, string>
}

/** `a=b&c=d`, each value URL-encoded. */
export function valuesIn(text: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const pair of text.split('&')) {
    const at = pair.indexOf('=')
    const key = at < 0 ? pair : pair.slice(0, at)
    if (key !== '' && !values.has(key)) values.set(key, urlDecoded(at < 0 ? '' : pair.slice(at + 1)))
  }
  return values
}

export const urlDecoded = (text: string): string =>
  decoded(
    Buffer.from(
      Buffer.from(text, 'utf8')
        .toString('latin1')
        .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ),
  )
