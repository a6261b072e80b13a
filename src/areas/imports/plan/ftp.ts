import type { SourceFtp } from '../../../host/contract/driver.ts'
import type { PlannedAccount } from './account.ts'
import type { PlannedDomain } from './domains.ts'
import { verifiableCrypt } from './passwords.ts'
import { type Planning, skips } from './planning.ts'

export interface PlannedFtp {
  readonly item: string
  readonly local: string
  readonly domain: string
  /** Relative to the home; `/` is the home itself. */
  readonly directory: string
  /** Undefined: closed until a new password is set. */
  readonly hash: string | undefined
}

/** FTP logins, each at the directory that it had. */
export function planFtp(at: Planning, account: PlannedAccount, domains: readonly PlannedDomain[]): PlannedFtp[] {
  const { source } = at
  return skips(at, 'ftp') ? [] : source.ftp.flatMap((login) => planLogin(at, account, domains, login))
}

function planLogin(
  at: Planning,
  account: PlannedAccount,
  domains: readonly PlannedDomain[],
  { local, domain, hash, directory, isOwn }: SourceFtp,
): PlannedFtp[] {
  const { source, report, options } = at
  const item = `${local}@${domain}`
  const home = source.homes.find((one) => directory === one || directory.startsWith(`${one}/`))
  const now = domains.find((one) => one.source.name === domain && one.kind !== 'parked')
  const leave = (text: string, from?: string): [] => {
    report.add('ftp', item, 'not_possible', text, { ...(from !== undefined && { from }) })
    return []
  }
  if (local.endsWith('_logs') || local === 'ftp' || local === 'anonymous') return leave('a login of the former server')
  if (!now) return leave('its domain does not come')
  if (home === undefined) return leave('its directory is outside the home', directory)
  const place = directory.slice(home.length + 1).replace(/\/+$/, '')
  if (place === 'etc' || place.startsWith('etc/')) return leave('its directory does not come', directory)
  const name = { local: isOwn ? account.username : local, domain: now.name }
  const to = `${name.local}@${name.domain}`
  if (isOwn) report.add('ftp', item, 'changed', "the account's own login, by its name and domain", { to })
  else if (to === item) report.add('ftp', item, 'as_is', 'FTP login')
  else report.add('ftp', item, 'changed', 'FTP login', { from: item, to })
  const usable = options.passwords !== 'none' && verifiableCrypt(hash) ? hash : undefined
  if (usable === undefined)
    report.add('ftp', `${item} password`, 'not_possible', 'needs a new password: its hash cannot be verified here')
  return [{ item, ...name, directory: place || '/', hash: usable }]
}
