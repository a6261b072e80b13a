import type { ImportSource, SourceFinding, SourceMailDomain, SourcePlan } from '../contract/commands/imports.ts'
import type { Collected } from './collected.ts'
import { certificatesOf } from './cpanel-certificates.ts'
import { databasesOf, databaseUsersOf } from './cpanel-databases.ts'
import { domainsOf } from './cpanel-domains.ts'
import { filtersOf } from './cpanel-filters.ts'
import { aliasesOf, autorespondersOf, mailboxesOf } from './cpanel-mail.ts'
import { CpanelTexts } from './cpanel-texts.ts'
import { cronOf } from './crontab.ts'
import { protectedLinks } from './protected-links.ts'
import { addressesIn, othersOf, positive, shadowHashIn, sshKeysIn } from './source-parts.ts'
import { escaped, linesOf } from './text.ts'

/** Whether an archive is one of pkgacct's, or only a home. */
export const isCpanel = ({ texts, files }: Collected): boolean =>
  [...texts.keys()].some((path) => /^(?:cp|userdata|va|mysql)\/|^(?:version|homedir_paths)$/.test(path)) ||
  files.files + files.directories > 0

/** The account in an archive of cPanel's. */
export function readCpanel(collected: Collected): ImportSource {
  const findings: SourceFinding[] = [...collected.findings]
  const texts = new CpanelTexts(collected, findings)
  const { username, mainDomain } = texts
  const homes = homesOf(texts)
  const domains = domainsOf(texts, homes)
  const version = texts.of('version')
  const names = domains.map(({ name }) => name)
  const roots = [...new Set(['public_html', ...domains.flatMap(({ documentRoot }) => documentRoot ?? [])])]
  return {
    format: 'cpanel',
    ...(version && {
      panelVersion: escaped(
        linesOf(version)
          .at(-1)
          ?.replace(/^.*?:\s*/, '') ?? '',
      ),
    }),
    sizeBytes: collected.sizeBytes,
    username,
    mainDomain,
    homes,
    plan: planOf(texts),
    domains,
    mailboxes: mailboxesOf(texts, collected, names),
    aliases: aliasesOf(texts),
    autoresponders: autorespondersOf(texts),
    mailDomains: mailDomainsOf(texts, names),
    zones: texts.below('dnszones/').flatMap(({ name, text }) => {
      const zone = name.endsWith('.db') ? name.slice(0, -3).toLowerCase() : undefined
      return zone
        ? [{ name: zone, text, file: `dnszones/${name}`, isSigned: collected.unknown.has('\0dnssec_keys') }]
        : []
    }),
    databases: databasesOf(texts, collected),
    databaseUsers: databaseUsersOf(texts),
    ftp: ftpOf(texts),
    cron: cronOf(texts.of(`cron/${username}`) ?? '', `cron/${username}`, findings),
    certificates: certificatesOf(texts),
    sshKeys: sshKeysIn(texts.home('.ssh/authorized_keys') ?? ''),
    htaccess: [...collected.htaccess, ...protectedLinks({ ...collected, homes, roots })],
    files: collected.files,
    others: othersOf(collected),
    findings: [...findings, ...filtersOf(texts)],
  }
}

/** The home's path on the old server, the longest first. */
function homesOf(texts: CpanelTexts): string[] {
  const listed = ['homedir_paths', 'meta/homedir_paths'].flatMap((path) => linesOf(texts.of(path) ?? ''))
  const own = texts.userdata(texts.mainDomain)?.homedir
  const all = [...(own ? [own] : []), ...listed, ...(texts.username ? [`/home/${texts.username}`] : [])]
  const homes = all.map((path) => path.trim().replace(/\/+$/, '')).filter((path) => /^\/home\d{0,2}\/[^/]+$/.test(path))
  return [...new Set(homes)]
}

function planOf(texts: CpanelTexts): SourcePlan {
  const cp = (key: string) => texts.cp.get(key) || undefined
  const [password, suspended] = [shadowHashIn(texts.of('shadow')), suspendedOf(texts)]
  const startedAt = positive(Number(cp('STARTDATE')) * 1000)
  const quotaMb = quotaOf(texts)
  const bandwidthMb = positive(Number(cp('BWLIMIT')) / MEGABYTE)
  const maxEmailPerHour = positive(Number(cp('MAX_EMAIL_PER_HOUR')))
  return {
    ...(cp('PLAN') && { name: escaped(cp('PLAN')!) }),
    ...(cp('OWNER') && { owner: escaped(cp('OWNER')!) }),
    ...(cp('CONTACTEMAIL') && { contact: cp('CONTACTEMAIL')! }),
    ...(cp('LOCALE') && { locale: escaped(cp('LOCALE')!) }),
    ...(startedAt !== undefined && { startedAt }),
    ...(suspended !== undefined && { suspended: { reason: suspended } }),
    ...(password !== undefined && { passwordHash: password }),
    ...(texts.of('shell') && { shell: escaped(texts.of('shell')!.trim()) }),
    ips: ipsOf(texts),
    ...(quotaMb !== undefined && { quotaMb }),
    ...(bandwidthMb !== undefined && { bandwidthMb }),
    ...(maxEmailPerHour !== undefined && { maxEmailPerHour }),
    limits: limitsOf(texts),
  }
}

const MEGABYTE = 1024 * 1024
const maximums = {
  MAXPOP: 'email_accounts',
  MAXSQL: 'databases',
  MAXFTP: 'ftp_accounts',
  MAXSUB: 'subdomains',
} as const
const furtherMaximums = { MAXPARK: 'parked_domains', MAXADDON: 'addon_domains', MAXLST: 'lists' } as const

function limitsOf({ cp }: CpanelTexts): Record<string, number> {
  const all = Object.entries({ ...maximums, ...furtherMaximums }).flatMap(([key, name]) => {
    const value = cp.get(key)
    return value !== undefined && /^\d{1,9}$/.test(value) ? [[name, Number(value)] as const] : []
  })
  return Object.fromEntries(all)
}

/** DISK_BLOCK_LIMIT is in KiB; `quota` alone is in bytes where it can be, else in MB. */
function quotaOf(texts: CpanelTexts): number | undefined {
  const blocks = Number(texts.cp.get('DISK_BLOCK_LIMIT'))
  if (blocks > 0) return positive(blocks / 1024)
  const size = Number(texts.of('quota')?.trim() || Number.NaN)
  return positive(size >= MEGABYTE && size % MEGABYTE === 0 ? size / MEGABYTE : size)
}

function suspendedOf(texts: CpanelTexts): string | undefined {
  const reason = texts.of(`suspended/${texts.username}`)
  const isSuspended = texts.cp.get('SUSPENDED') === '1' || reason !== undefined
  return isSuspended ? escaped(reason?.trim() ?? '') : undefined
}

function ipsOf(texts: CpanelTexts): string[] {
  const listed = linesOf(texts.of('ips/related_ips') ?? '')
  const own = texts.below('userdata/').flatMap(({ name }) => texts.userdata(name)?.ip ?? [])
  return addressesIn([texts.cp.get('IP') ?? '', ...listed, ...own])
}

function mailDomainsOf(texts: CpanelTexts, names: readonly string[]): SourceMailDomain[] {
  return names.map((domain) => {
    const routing = texts.cp.get(`MXCHECK-${domain}`)?.toLowerCase() ?? 'auto'
    const aliasOf = linesOf(texts.of(`vad/${domain}`) ?? '').find((line) => /\S/.test(line))
    const target = aliasOf?.split(':').at(-1)?.trim().toLowerCase()
    return {
      domain,
      routing: isRouting(routing) ? routing : 'auto',
      ...(target && { aliasOf: target }),
    }
  })
}

const isRouting = (text: string): text is SourceMailDomain['routing'] =>
  ['local', 'remote', 'auto', 'secondary'].includes(text)

function ftpOf(texts: CpanelTexts) {
  return linesOf(texts.of('proftpdpasswd') ?? '').flatMap((line) => {
    const [login = '', hash = '', , , , directory = ''] = line.split(':')
    if (login === '') return []
    const at = login.lastIndexOf('@')
    const isOwn = login === texts.username
    const [local, domain] = at < 0 ? [login, texts.mainDomain] : [login.slice(0, at), login.slice(at + 1).toLowerCase()]
    return [{ local, domain, hash: hash.replace(/^!+/, ''), directory, isOwn }]
  })
}
