import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { PanelName } from '../../contract/sessions.ts'
import type { Runtime } from '../../runtime/runtime.ts'

export const cookieName = (panel: PanelName): string => `panel_${panel}`

/** A new cookie value: 256 random bits. */
export const newCookie = (): string => randomBytes(32).toString('base64url')

export const hashCookie = (value: string): string => createHash('sha256').update(value).digest('hex')

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax'

export const setCookie = (panel: PanelName, value: string, seconds: number): string =>
  `${cookieName(panel)}=${value}; ${attributes}; Max-Age=${seconds}`

export const clearCookie = (panel: PanelName): string => `${cookieName(panel)}=; ${attributes}; Max-Age=0`

/** The token a page of this session must send with every change. It is made from the cookie, so nothing is kept. */
export const csrfOf = (runtime: Runtime, cookie: string): string => runtime.fingerprint('csrf', cookie)

/** Whether two secrets are the same, in a time that does not tell where they differ. */
export function sameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
