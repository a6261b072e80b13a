import { OAuthError } from './error.ts'

/** A client as it describes itself: only its redirect URIs are facts. */
export interface OAuthClient {
  readonly id: string
  readonly name: string
  readonly redirect_uris: readonly string[]
}

const MAX_NAME_LENGTH = 64
const MAX_REDIRECT_URIS = 10
const MAX_URI_LENGTH = 2048
const loopback = ['localhost', '127.0.0.1', '[::1]']

/** https, or http to the person's own machine; without user, password and fragment. */
function isRedirectUri(text: unknown): text is string {
  // Printable ASCII: what a browser would change is not exact.
  if (typeof text !== 'string' || text.length > MAX_URI_LENGTH || !/^[\x21-\x7e]+$/.test(text)) return false
  if (!URL.canParse(text) || /[#\\]/.test(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  // The consent page names the host in its content policy, where signs such as `;` and `,` have a meaning.
  if (!/^[\w.:[\]-]+$/.test(hostname)) return false
  return protocol === 'https:' || (protocol === 'http:' && loopback.includes(hostname))
}

/** The redirect URIs of a client's metadata. */
export function redirectUrisOf(list: unknown): string[] {
  if (Array.isArray(list) && list.length > 0 && list.length <= MAX_REDIRECT_URIS && list.every(isRedirectUri))
    return list
  throw new OAuthError(
    'invalid_redirect_uri',
    `redirect_uris must be 1 to ${MAX_REDIRECT_URIS} addresses: https, or http on a loopback address; no fragment.`,
  )
}

export const hostOf = (uri: string): string => new URL(uri).hostname

/** Visible text alone, since people see it. */
export function nameIn(text: unknown, otherwise: string): string {
  const visible = typeof text === 'string' ? text.replace(/[\p{C}\u2028\u2029]+/gu, ' ').trim() : ''
  const cut = Array.from(visible).slice(0, MAX_NAME_LENGTH).join('').slice(0, MAX_NAME_LENGTH)
  return cut.replace(/\p{Cs}/gu, '').trim() || otherwise.slice(0, MAX_NAME_LENGTH)
}
