import { hash, randomBytes } from 'node:crypto'
import type { PanelName } from '../../contract/sessions.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { SessionRow } from './tables.ts'

export const cookieName = (panel: PanelName): string => `panel_${panel}`

/** A new cookie value: 256 random bits. */
export const newCookie = (): string => randomBytes(32).toString('base64url')

export const hashCookie = (value: string): string => hash('sha256', value)

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax'

export const setCookie = (panel: PanelName, value: string, seconds: number): string =>
  `${cookieName(panel)}=${value}; ${attributes}; Max-Age=${seconds}`

export const clearCookie = (panel: PanelName): string => `${cookieName(panel)}=; ${attributes}; Max-Age=0`

const tokens = new WeakMap<SessionRow, string>()

/** The CSRF token of a session. Derived from the cookie, so nothing is stored. */
export function csrfOf(runtime: Runtime, { row, cookie }: { row: SessionRow; cookie: string }): string {
  const token = tokens.get(row) ?? runtime.fingerprint('csrf', cookie)
  tokens.set(row, token)
  return token
}
