import { isIPv4, isIPv6 } from 'node:net'
import { type AccountLimits, type AccountName, type AccountState, HostError, type ServerConfig } from './driver.ts'

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const top = '(?:[a-z]{2,63}|xn--[a-z0-9-]{0,57}[a-z0-9])'
const patterns = {
  id: /^[0-9A-HJKMNP-TV-Z]{26}$/,
  username: /^[a-z][a-z0-9]{1,15}$/,
  domain: new RegExp(`^(?:${label}\\.)+${top}$`),
  hostname: new RegExp(`^(?:${label}\\.)*${label}$`),
  email: new RegExp(`^[A-Za-z0-9_][A-Za-z0-9_'+.-]{0,63}@(?:${label}\\.)+${top}$`, 'i'),
  address: /^[0-9A-Fa-f.:]{2,45}$/,
  shell: /^(?:\/usr)?\/s?bin\/[a-z][a-z0-9]{1,15}$/,
} as const

/** Room for the longest name put in front of it, `hostmaster.`, within the 253 characters of DNS. */
const longestDomain = 242
const mailRoutings = ['auto', 'local', 'remote', 'backup']

function refuse(field: string): never {
  throw new HostError('stage', `The ${field} is not one that may be written to a configuration file.`)
}

function text(field: string, value: unknown, pattern: RegExp, longest = 254): void {
  if (typeof value !== 'string' || value.length > longest || !pattern.test(value)) refuse(field)
}

function whole(field: string, value: unknown, least: number, most: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) refuse(field)
}

function yesOrNo(field: string, value: unknown): void {
  if (typeof value !== 'boolean') refuse(field)
}

function address(value: string): void {
  text('IP address', value, patterns.address)
  if (!isIPv4(value) && !isIPv6(value)) refuse('IP address')
}

function limits(given: AccountLimits): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) whole(`limit ${/^[A-Za-z]{1,20}$/.test(name) ? name : ''}`, value, 0, 2 ** 40)
  }
}

/** Refuses a server whose values could not stand in a configuration file. */
export function checkServer(server: ServerConfig): void {
  text('hostname', server.hostname, patterns.hostname, 253)
  if (!Array.isArray(server.nameservers) || server.nameservers.length > 16) refuse('list of nameservers')
  for (const name of server.nameservers) text('nameserver', name, patterns.domain, 253)
}

/** Refuses an account that names no place of its own on the host. Every path is made of these values. */
export function checkAccountName(account: AccountName): void {
  text('account id', account.id, patterns.id)
  text('username', account.username, patterns.username)
  whole('uid', account.uid, 20_000, 59_999)
  text('domain', account.mainDomain, patterns.domain, longestDomain)
}

/** Refuses, and never escapes, a value that could mean something else where it is written. */
export function checkAccount(account: AccountState): void {
  checkAccountName(account)
  if (account.formerUsername !== undefined) text('former username', account.formerUsername, patterns.username)
  if (account.contactEmail !== '') text('contact address', account.contactEmail, patterns.email)
  address(account.ipAddress)
  text('shell', account.shell, patterns.shell)
  for (const flag of ['cgi', 'suspended', 'spamFilter', 'spamBox'] as const) yesOrNo(flag, account[flag])
  if (!mailRoutings.includes(account.mailRouting)) refuse('mail routing')
  whole('zone serial', account.zoneSerial, 0, 2 ** 32 - 1)
  limits(account.limits)
}
