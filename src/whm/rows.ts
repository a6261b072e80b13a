import type { z } from 'zod'
import type { Account } from '../contract/accounts.ts'
import type { Package } from '../contract/packages.ts'
import { written } from './limits.ts'

export type AccountRecord = z.input<typeof Account>
type PackageRecord = z.input<typeof Package>

const seconds = (ms: number): number => Math.floor(ms / 1000)
const megabytes = (amount: number | undefined): string => (amount === undefined ? 'unlimited' : `${amount}M`)

/** An account in WHM's lists. Every field is always present. */
export function accountRow(account: AccountRecord) {
  return { ...identity(account), ...state(account), ...figures(account), ...maxima(account) }
}

const identity = (account: AccountRecord) => ({
  user: account.username,
  domain: account.main_domain,
  plan: account.package_name,
  owner: account.owner_name,
  email: account.contact_email || '*unknown*',
  ip: account.ip_address,
  theme: account.theme,
  shell: account.shell,
  partition: 'home',
})

const state = (account: AccountRecord) => ({
  suspended: account.suspended_at === undefined ? 0 : 1,
  suspendreason: account.suspended_at === undefined ? 'not suspended' : account.suspend_reason || 'Unknown',
  suspendtime: account.suspended_at === undefined ? null : seconds(account.suspended_at),
  startdate: dateOf(account.created_at),
  unix_startdate: seconds(account.created_at),
})

const figures = (account: AccountRecord) => ({
  diskused: megabytes(account.disk_used_mb),
  disklimit: megabytes(account.disk_quota_mb),
  inodesused: account.inodes_used,
  inodeslimit: account.inodes_limit ?? 'unlimited',
})

const maxima = (account: AccountRecord) => ({
  maxpop: written(account.max_email),
  maxsql: written(account.max_sql),
  maxftp: written(account.max_ftp),
  maxsub: written(account.max_sub),
  maxaddons: written(account.max_addon),
  maxparked: written(account.max_parked),
  maxlst: 'unlimited',
  max_email_per_hour: written(account.max_email_per_hour),
  max_emailacct_quota: written(account.max_email_quota_mb),
})

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `26 Nov 21 15:04`: year, month, day, hour and minute, in UTC. */
function dateOf(ms: number): string {
  const iso = new Date(ms).toISOString()
  return `${iso.slice(2, 4)} ${months[Number(iso.slice(5, 7)) - 1]} ${iso.slice(8, 10)} ${iso.slice(11, 16)}`
}

const yesNo = (flag: boolean): 'y' | 'n' => (flag ? 'y' : 'n')

/** A package as WHM lists it. */
export const packageRow = (plan: PackageRecord) => ({
  name: plan.name,
  QUOTA: written(plan.disk_quota_mb),
  BWLIMIT: written(plan.bw_limit_mb),
  MAXFTP: written(plan.max_ftp),
  MAXSQL: written(plan.max_sql),
  MAXPOP: written(plan.max_email),
  MAXLST: 'unlimited',
  MAXSUB: written(plan.max_sub),
  MAXPARK: written(plan.max_parked),
  MAXADDON: written(plan.max_addon),
  MAX_EMAIL_PER_HOUR: written(plan.max_email_per_hour),
  MAX_EMAILACCT_QUOTA: written(plan.max_email_quota_mb),
  HASSHELL: yesNo(plan.shell !== '/usr/sbin/nologin'),
  CGI: yesNo(plan.cgi),
  IP: yesNo(plan.dedicated_ip),
  FRONTPAGE: 'n',
  DIGESTAUTH: yesNo(plan.digest_auth),
  FEATURELIST: plan.feature_list_name,
  CPMOD: plan.theme,
  LANG: plan.locale,
})
