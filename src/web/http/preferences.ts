import type { C } from '../panel-request.ts'

/** Display preferences, stored in the browser: an account's own settings win. */
export interface Preferences {
  readonly theme?: string
  readonly locale?: string
  /** The form of commands: `panel`, `curl`, or `none` to hide them. */
  readonly say?: string
}

const name = 'panel_view'
const inCookies = new RegExp(`(?:^|;\\s*)${name}=([\\w.~-]*)`)
const year = 365 * 24 * 3600

/** `theme.dark~say.curl` */
export function preferencesOf(c: C): Preferences {
  const [, stored = ''] = inCookies.exec(c.req.header('cookie') ?? '') ?? []
  const pairs = stored.split('~').map((pair) => pair.split('.') as [string, string?])
  return Object.fromEntries(pairs.flatMap(([key, value]) => (isOne(key) && value ? [[key, value]] : [])))
}

export const preferencesIn = (form: URLSearchParams): Preferences =>
  Object.fromEntries([...form].filter(([key, value]) => isOne(key) && /^[\w-]{1,20}$/.test(value)))

/** The cookie that stores a form's preferences. */
export function preferring(form: URLSearchParams): string {
  const value = Object.entries(preferencesIn(form))
    .map((pair) => pair.join('.'))
    .join('~')
  return `${name}=${value}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${year}`
}

const isOne = (key: string): boolean => key === 'theme' || key === 'locale' || key === 'say'
