import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { and, eq, isNotNull, ne, sql } from 'drizzle-orm'
import { getDomain, getPublicSuffix } from 'tldts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { previewHostname, serverNames } from '../../../runtime/settings/server-names.ts'
import { pastedDomain } from '../../../shared/pasted-name.ts'
import { label, MAX_DOMAIN_LENGTH, MAX_HOSTNAME_LENGTH } from '../../../shared/patterns.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { nodes } from '../../nodes/tables.ts'
import { partsOf, type ReservedName } from '../objects/part.ts'
import { isReserved, reservedError } from '../reserved.ts'
import { accounts } from '../tables.ts'

const reserved = new Set(
  `root admin administrator panel reseller system server host localhost
  daemon bin sys sync games man lp mail news uucp proxy www data backup list irc gnats nobody adm operator
  apache nginx httpd ftp ftpd proftpd vsftpd postfix postmaster exim dovecot dovenull opendkim vmail
  mysql mariadb postgres postgresql redis memcache memcached mongodb bind named dns ntp chrony sshd ssh messagebus
  systemd polkitd rpc statd tss avahi sudo wheel shadow staff users nogroup ssl sslcert clamav amavis spam spamd
  webmail phpmyadmin roundcube mailman munin nagios zabbix hostmaster webmaster abuse noreply support info
  performance sys information aria ib tmp default all any none null public private shared new`.split(/\s+/),
)

/** The id of the account with a name. */
const holders = prepared((db: Db) => {
  const of = (column: typeof accounts.username | typeof accounts.db_prefix) =>
    db
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(column, sql.placeholder('name')))
      .prepare()
  return { username: of(accounts.username), db_prefix: of(accounts.db_prefix) }
})

/** Lower-cases ASCII letters only: other scripts must not turn into ASCII. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Why a username is invalid or taken, undefined if it is free. `self` is the account that wants it. */
export function usernameProblem(ctx: Context, username: string, self?: string): string | undefined {
  if (!/^[a-z][a-z0-9]{1,15}$/.test(username))
    return 'must be 2 to 16 lower-case letters and digits, beginning with a letter'
  if (reserved.has(username) || username.startsWith('test')) return 'is reserved; choose another'
  const taken = holders(ctx.db).username.get({ name: username })?.id
  return taken !== undefined && taken !== self ? 'is taken; choose another' : undefined
}

const top = '(?:[a-z]{2,63}|xn--[a-z0-9-]{0,57}[a-z0-9])'
const hostName = new RegExp(`^(?:${label}\\.)+${top}$`)
const contact = new RegExp(`^[a-z0-9_][a-z0-9_'+.-]{0,63}@(?:${label}\\.)+${top}$`, 'i')

/** Why an email address is invalid, undefined if it is valid; the host's files contain it. */
export const contactProblem = (email: string): string | undefined =>
  email === '' || contact.test(email) ? undefined : 'must be an email address'

/** The A-label form of a domain as it was pasted, undefined for an invalid host name. */
export const pastedToAscii = (domain: string): string | undefined => toAscii(pastedDomain(domain))

/** The A-label form of a domain, undefined for an invalid host name. */
export function toAscii(domain: string): string | undefined {
  if (/[\s/\\?#@:%[\]<>^|"'`{}]|\p{Cc}/u.test(domain)) return undefined
  const ascii = domainToASCII(domain.toLowerCase())
  const sound =
    hostName.test(ascii) && ascii.length <= MAX_HOSTNAME_LENGTH && !isIP(ascii) && ascii.split('.').every(decodes)
  return sound ? ascii : undefined
}

/** Newer Node accepts any label that claims to be encoded; verify that it round-trips. */
function decodes(label: string): boolean {
  if (!label.startsWith('xn--')) return true
  const unicode = domainToUnicode(label)
  return unicode !== label && domainToASCII(unicode) === label
}

/** Why a main domain is invalid or taken, undefined if it is free. `self` is the account that wants it. */
export function domainProblem(ctx: Context, domain: string, self?: string): string | undefined {
  const problem = nameProblem(ctx, domain)
  if (problem) return problem
  const name = pastedToAscii(domain)!
  for (const { names } of partsOf(ctx.runtime)) {
    const taken = names?.(ctx, { name, account: self })
    if (taken) return taken
  }
  return undefined
}

/** Why a domain name is invalid, apart from who owns it. */
export function nameProblem(ctx: Context, domain: string): string | undefined {
  const ascii = pastedToAscii(domain)
  if (!ascii) return `is not a valid domain name${whyInvalid(pastedDomain(domain))}`
  if (ascii.length > MAX_DOMAIN_LENGTH) return `must have at most ${MAX_DOMAIN_LENGTH} characters`
  if (isPublicSuffix(ascii)) return 'is a public suffix; use a domain registered under it'
  if (isReserved(ctx, ascii)) return reservedError
  return serversProblem(ctx, ascii) ?? reservedNameError(ctx, ascii)
}

/** Which rule a domain breaks. */
function whyInvalid(domain: string): string {
  if (domain === '') return ': it is empty'
  if (isIP(domain.replace(/^\[(.*)\]$/, '$1'))) return ': it is an IP address'
  if (domain.includes('@')) return ': it has an @; give the part after it'
  if (/:\/\/|[/?#:\\]/.test(domain)) return ': give the name alone, without http://, a path or a port'
  if (/\s/.test(domain)) return ': it has a blank in it'
  const labels = domain.split(/[.\u3002\uff0e\uff61]/)
  if (labels.includes('')) return ': it has a dot too many'
  if (domain.includes('_')) return ': it has an underscore; names of sites have letters, digits and dashes'
  if (labels.some((one) => one.length > MAX_LABEL_LENGTH))
    return `: a label has more than ${MAX_LABEL_LENGTH} characters`
  if (domain.length > MAX_HOSTNAME_LENGTH) return `: it has more than ${MAX_HOSTNAME_LENGTH} characters`
  if (labels.length < 2) return ': it has one label; a domain has at least two, such as shop.example'
  if (labels.some((one) => /^-|-$/.test(one))) return ': a label begins or ends with a dash'
  return ': names have labels of letters, digits and dashes, and end with a top-level domain'
}

const MAX_LABEL_LENGTH = 63

const registrable = (name: string): string => getDomain(name, { allowPrivateDomains: true }) ?? name

const isPublicSuffix = (name: string): boolean => getPublicSuffix(name, { allowPrivateDomains: true }) === name

const uses = {
  panel: "the server's own hostname",
  webmail: "the server's name for webmail",
  phpmyadmin: "the server's name for phpMyAdmin",
} as const

/** The server's names and everything below them are reserved. */
function serversProblem({ runtime, actor, db }: Context, name: string): string | undefined {
  const names = serverNames(db, runtime.hostname)
  const preview = previewHostname(db)
  if (preview !== undefined && registrable(name) === registrable(preview))
    return `is at ${preview}, which is for previews`
  for (const use of ['panel', 'webmail', 'phpmyadmin'] as const) {
    const own = names[use]
    const useLabel = use === 'panel' ? "the server's hostname" : uses[use]
    if (name === own) return `is ${uses[use]}`
    if (name.endsWith(`.${own}`)) return `is a subdomain of ${useLabel}`
    if (own.endsWith(`.${name}`) && !isRoot(actor)) return `is a parent domain of ${useLabel}; only root can add it`
  }
  return undefined
}

/** The holder of such a name, or of its parent, could move the traffic of other owners' customers. */
function reservedNameError(ctx: Context, name: string): string | undefined {
  if (isRoot(ctx.actor)) return undefined
  const others = partsOf(ctx.runtime).flatMap(({ reservedNames }) => reservedNames?.(ctx) ?? [])
  for (const { name: own, what } of [...nodeNames(ctx), ...others]) {
    // Otherwise whoever could name one would reserve all domains below it.
    if (isPublicSuffix(own)) continue
    if (name === own) return `is ${what}; only root can add it`
    if (name.endsWith(`.${own}`)) return `is a subdomain of ${what}; only root can add it`
    if (own.endsWith(`.${name}`)) return `is a parent domain of ${what}; only root can add it`
  }
  return undefined
}

const nodeNames = ({ db }: Context): ReservedName[] =>
  queriesOfNodes(db)
    .hostnames.all()
    .map(({ hostname }) => ({ name: hostname!, what: 'the host name of a node' }))

const queriesOfNodes = prepared((db: Db) => ({
  hostnames: db
    .select({ hostname: nodes.hostname })
    .from(nodes)
    .where(and(isNotNull(nodes.hostname), ne(nodes.state, 'retired')))
    .prepare(),
}))

/** The parent names, longest first. */
export function parentsOf(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'))
}

/**
 * The database prefix: 8 characters of the name, or 6 and two digits if those are taken. If a hundred names share a
 * beginning, fewer characters and the uid, which is unique.
 */
export function databasePrefix(ctx: Context, username: string, uid: number): string | undefined {
  const params = [
    `${username.slice(0, 8)}_`,
    ...Array.from({ length: 99 }, (_, n) => `${username.slice(0, 6)}${String(n + 1).padStart(2, '0')}_`),
    ...[3, 2, 1].map((length) => `${username.slice(0, length)}${uid}_`),
  ]
  return params.find((prefix) => holders(ctx.db).db_prefix.get({ name: prefix }) === undefined)
}
