import type {
  ImportSource,
  SourceAlias,
  SourceAutoresponder,
  SourceCertificate,
  SourceDatabaseUser,
  SourceDomain,
  SourceFinding,
  SourceFtp,
  SourceMailbox,
  SourcePlan,
  SourceZone,
} from '../contract/commands/imports.ts'
import { ArchiveTexts } from './archive-texts.ts'
import type { Collected } from './collected.ts'
import { targetsIn } from './cpanel-mail.ts'
import { cronOf } from './crontab.ts'
import { protectedLinks } from './protected-links.ts'
import {
  addressesIn,
  certificateIn,
  cleanRelative,
  countIn,
  dumpsOf,
  inOrder,
  limitsIn,
  literalPattern,
  nativeHashOf,
  othersOf,
  relativeTo,
  sshKeysIn,
} from './source-parts.ts'
import { asciiDomain, escaped, linesOf, nameText } from './text.ts'

/** Whether it is an archive of a user's of HestiaCP or VestaCP. */
export const isHestia = ({ texts, files }: Collected): boolean =>
  [...texts.keys()].some((path) => /^(?:hestia|vesta|pam|web|mail|db|dns)\//.test(path)) || files.files > 0

type Values = ReadonlyMap<string, string>

/** An object with the directory that describes it. */
interface Described {
  readonly name: string
  /** One character a byte. */
  readonly folder: string
  readonly values: Values
}

/** `KEY='value' KEY='value'`, on one line or several: the first value of a key wins. */
function quotedValues(text: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const [, key, value] of text.matchAll(/(?:^|\s)([A-Z][A-Z0-9_]*)='([^'\r\n]*)'/g))
    if (!values.has(key!)) values.set(key!, value!)
  return values
}

const objectsOf = (text = ''): Values[] => linesOf(text).map(quotedValues)

/** The panel's own directory in that of an object: it was Vesta before it was Hestia. */
class HestiaTexts extends ArchiveTexts {
  own(folder: string, name: string): string | undefined {
    return this.of(`${folder}/hestia/${name}`) ?? this.of(`${folder}/vesta/${name}`)
  }

  described(kind: 'web' | 'dns' | 'mail'): Described[] {
    const file = new RegExp(`^(?:hestia|vesta)/${kind}\\.conf$`)
    return this.foldersOf(kind, file).flatMap((folder): Described[] => {
      const values = quotedValues(this.own(`${kind}/${folder}`, `${kind}.conf`) ?? '')
      const name = asciiDomain(values.get('DOMAIN') ?? nameText(folder))
      return name === undefined ? [] : [{ name, folder, values }]
    })
  }
}

/** The account in an archive of HestiaCP's. */
export function readHestia(collected: Collected): ImportSource {
  const findings: SourceFinding[] = [...collected.findings]
  const texts = new HestiaTexts(collected, findings)
  const user = quotedValues(texts.of('hestia/user.conf') ?? texts.of('vesta/user.conf') ?? '')
  const [username = '', , , , , home = ''] = (texts.of('pam/passwd') ?? '').trim().split(':')
  const homes = [...new Set([home, `/home/${username}`])].filter((path) => /^\/home\d{0,2}\/[\w.-]+$/.test(path))
  const [web, mail] = [texts.described('web'), texts.described('mail')]
  const domains = domainsOf(texts, web, [...mail, ...texts.described('dns')], homes)
  const roots = domains.flatMap(({ documentRoot }) => documentRoot ?? [])
  const mailboxes = mail.flatMap((one) => mailboxesOf(texts, collected, one))
  return {
    format: 'hestia',
    sizeBytes: collected.sizeBytes,
    username,
    mainDomain: domains.find(({ kind }) => kind === 'main')?.name ?? '',
    homes,
    plan: planOf(texts, user, web),
    domains,
    mailboxes,
    aliases: mail.flatMap((one) => aliasesOf(texts, one)),
    autoresponders: mail.flatMap((one) => autorespondersOf(texts, one)),
    mailDomains: [],
    zones: texts.described('dns').flatMap((one) => zoneOf(texts, one)),
    databases: dumpsOf(collected, (bytes) => charsetOf(texts, bytes)),
    databaseUsers: databaseUsersOf(texts, collected),
    ftp: web.flatMap((one) => ftpOf(one, homes)),
    cron: cronOf(crontabOf(texts), 'cron/cron.conf', findings),
    certificates: web.flatMap((one) => certificateOf(texts, one) ?? []),
    sshKeys: sshKeysIn(texts.home('.ssh/authorized_keys') ?? ''),
    htaccess: [...collected.htaccess, ...protectedLinks({ ...collected, homes, roots })],
    files: collected.files,
    others: othersOf(collected),
    findings,
  }
}

function planOf(texts: ArchiveTexts, user: Values, web: readonly Described[]): SourcePlan {
  const text = (key: string) => user.get(key) || undefined
  const [quotaMb, bandwidthMb] = [countIn(text('DISK_QUOTA')), countIn(text('BANDWIDTH'))]
  const started = Date.parse(`${text('DATE') ?? ''}T${text('TIME') ?? '00:00:00'}Z`)
  const [, hash = ''] = (texts.of('pam/shadow') ?? '').trim().split(':')
  const perHour = countIn(text('RATE_LIMIT'))
  const webDomains = countIn(text('WEB_DOMAINS'))
  const ips = web.flatMap(({ values }) => [values.get('IP') ?? '', values.get('IP6') ?? ''])
  return {
    ...(text('PACKAGE') && { name: escaped(text('PACKAGE')!) }),
    ...(text('CONTACT') && { contact: text('CONTACT')! }),
    ...(text('LANGUAGE') && { locale: escaped(text('LANGUAGE')!) }),
    ...(started > 0 && { startedAt: started }),
    ...(text('SUSPENDED') === 'yes' && { suspended: { reason: '' } }),
    ...(hash.includes('$') && { passwordHash: hash.replace(/^[!*]+/, '') }),
    ...(text('SHELL') && { shell: escaped(text('SHELL')!) }),
    ips: addressesIn(ips),
    ...(quotaMb !== undefined && quotaMb > 0 && { quotaMb }),
    ...(bandwidthMb !== undefined && bandwidthMb > 0 && { bandwidthMb }),
    ...(perHour !== undefined && perHour > 0 && { maxEmailPerHour: perHour }),
    limits: {
      ...limitsIn(text, { DATABASES: 'databases' }),
      // The first of its domains is the main one.
      ...(webDomains !== undefined && { addon_domains: Math.max(0, webDomains - 1) }),
    },
  }
}

/** The oldest domain that is below no other is the main one. */
function mainOf(web: readonly Described[]): string | undefined {
  const names = web.map(({ name }) => name)
  const top = web.filter(({ name }) => !names.some((one) => name.endsWith(`.${one}`)))
  const age = ({ values, name }: Described): string =>
    `${values.get('DATE') ?? '9'} ${values.get('TIME') ?? ''} ${name}`
  return top.toSorted((a, b) => (age(a) < age(b) ? -1 : 1))[0]?.name
}

function domainsOf(
  texts: ArchiveTexts,
  web: readonly Described[],
  others: readonly Described[],
  homes: readonly string[],
): SourceDomain[] {
  const all = [...web, ...others.filter(({ name }) => !web.some((one) => one.name === name))]
  const main = mainOf(web) ?? mainOf(others)
  const names = all.map(({ name }) => name)
  const domains = all.flatMap((one): SourceDomain[] => {
    const { name } = one
    const [parent] = names.filter((other) => name.endsWith(`.${other}`)).toSorted((a, b) => b.length - a.length)
    const isSub = name !== main && parent !== undefined
    return [
      {
        name,
        kind: name === main ? 'main' : isSub ? 'sub' : 'addon',
        ...(isSub && { parent }),
        ...(web.includes(one) && siteOf(one, homes)),
      },
      ...aliasDomains(texts, one),
    ]
  })
  return inOrder(domains)
}

function siteOf({ folder, values }: Described, homes: readonly string[]): Partial<SourceDomain> {
  const custom = values.get('CUSTOM_DOCROOT')
  const root = custom ? relativeTo(homes, custom) : undefined
  const byDefault = cleanRelative(`web/${nameText(folder)}/public_html`)
  const [, major, minor] = /^PHP-(\d)_(\d+)$/.exec(values.get('BACKEND') ?? '') ?? []
  const documentRoot = root ?? byDefault
  return { ...(documentRoot !== undefined && { documentRoot }), ...(major && { php: `${major}.${minor}` }) }
}

/** Further names of a site, but `www`. */
function aliasDomains(texts: ArchiveTexts, { name, values }: Described): SourceDomain[] {
  return (values.get('ALIAS') ?? '').split(',').flatMap((alias): SourceDomain[] => {
    const parked = asciiDomain(alias)
    if (alias.trim() === '' || parked === `www.${name}` || parked === name) return []
    if (parked !== undefined) return [{ name: parked, kind: 'parked', parent: name }]
    texts.find({ part: 'domains', item: escaped(alias), text: `a further name of ${name} that no domain can have` })
    return []
  })
}

const accountsOf = (texts: HestiaTexts, { folder }: Described): Values[] => {
  const name = nameText(folder)
  const text = texts.own(`mail/${folder}`, `${Buffer.from(name, 'utf8').toString('latin1')}.conf`)
  return objectsOf(text).filter((values) => localOf(values) !== '')
}

const localOf = (values: Values): string => (values.get('ACCOUNT') ?? '').toLowerCase()

function mailboxesOf(texts: HestiaTexts, { mail }: Collected, domain: Described): SourceMailbox[] {
  return accountsOf(texts, domain).map((values): SourceMailbox => {
    const there = mail.get(`${domain.name}/${localOf(values)}`)
    const hash = (values.get('MD5') ?? '').replace(/^\{[A-Za-z0-9.-]+\}/, '')
    const quotaMb = countIn(values.get('QUOTA'))
    return {
      local: localOf(values),
      domain: domain.name,
      ...(hash !== '' && { hash }),
      isLocked: values.get('SUSPENDED') === 'yes',
      ...(quotaMb !== undefined && quotaMb > 0 && { quotaMb }),
      format: 'maildir',
      messages: there?.messages ?? 0,
      bytes: there?.bytes ?? 0,
    }
  })
}

/** Further addresses of mailboxes, what they pass on, and the catch-all. */
function aliasesOf(texts: HestiaTexts, domain: Described): SourceAlias[] {
  const { name, folder, values: settings } = domain
  const file = `mail/${folder}/hestia/${folder}.conf`
  const own = accountsOf(texts, domain).flatMap((values, at): SourceAlias[] => {
    const local = localOf(values)
    const line = at + 1
    const [further, forward] = [values.get('ALIAS') ?? '', values.get('FWD') ?? '']
    const names = further.split(',').map((one) => one.trim().toLowerCase())
    if (forward !== '' && values.get('FWD_ONLY') === 'yes')
      texts.find({
        part: 'mail',
        item: `forwarder ${local}@${name} only`,
        text: 'mail was passed on without a copy; here the mailbox keeps one',
        file: escaped(file),
        line,
      })
    const targets = forward === '' ? [] : targetsIn(forward)
    return [
      ...names.flatMap((alias) =>
        alias === '' ? [] : [{ domain: name, local: alias, targets: targetsIn(`${local}@${name}`), file, line }],
      ),
      ...(targets.length > 0 ? [{ domain: name, local, targets, file, line }] : []),
    ]
  })
  const catchAll = settings.get('CATCHALL') ?? ''
  if (catchAll === '') return own
  const place = { file: `mail/${folder}/hestia/mail.conf`, line: 1 }
  return [...own, { domain: name, local: '*', targets: targetsIn(catchAll), ...place }]
}

function autorespondersOf(texts: HestiaTexts, domain: Described): SourceAutoresponder[] {
  return accountsOf(texts, domain).flatMap((values): SourceAutoresponder[] => {
    const local = localOf(values)
    if (values.get('AUTOREPLY') !== 'yes') return []
    const file = Buffer.from(`${local}@${nameText(domain.folder)}.msg`, 'utf8')
    const body = texts.own(`mail/${domain.folder}`, file.toString('latin1')) ?? ''
    return [{ local, domain: domain.name, subject: 'Autoreply Message', body: body.trimEnd(), isHtml: false }]
  })
}

/** The zone's file; without one, what the panel knows of each record. */
function zoneOf(texts: HestiaTexts, { name, folder }: Described): SourceZone[] {
  const isSigned = false
  const file = `dns/${folder}/conf/${folder}.db`
  const text = texts.of(file)
  if (text !== undefined) return [{ name, text, file, isSigned }]
  const records = objectsOf(texts.own(`dns/${folder}`, `${folder}.conf`)).filter(
    (one) => one.get('SUSPENDED') !== 'yes',
  )
  const lines = records.flatMap((values) => {
    const [record, type, value] = ['RECORD', 'TYPE', 'VALUE'].map((key) => values.get(key) ?? '')
    if (!record || !type || !value) return []
    const priority = ['MX', 'SRV'].includes(type) ? `${values.get('PRIORITY') || '10'} ` : ''
    const quoted = type === 'TXT' && !value.startsWith('"') ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value
    return [`${record} ${countIn(values.get('TTL')) ?? ''} IN ${type} ${priority}${quoted}`]
  })
  return lines.length === 0 ? [] : [{ name, text: `$TTL 14400\n${lines.join('\n')}\n`, isSigned }]
}

const databaseOf = (texts: HestiaTexts, bytes: string): Values =>
  quotedValues(texts.own(`db/${bytes}`, 'db.conf') ?? '')

function charsetOf(texts: HestiaTexts, bytes: string): { charset?: string } {
  const charset = databaseOf(texts, bytes).get('CHARSET')?.toLowerCase()
  return charset && /^\w+$/.test(charset) ? { charset } : {}
}

function databaseUsersOf(texts: HestiaTexts, { dumps }: Collected): SourceDatabaseUser[] {
  const users = new Map<string, SourceDatabaseUser>()
  for (const bytes of dumps.keys()) {
    const values = databaseOf(texts, bytes)
    const [name = '', hash = ''] = [values.get('DBUSER'), values.get('MD5')]
    if (name === '') continue
    const database = literalPattern(nameText(bytes))
    const grants = [...(users.get(name)?.grants ?? []), { database, privileges: ['ALL'], grantOption: false }]
    users.set(name, { name, hosts: [values.get('HOST') || 'localhost'], ...nativeHashOf(hash), grants })
  }
  return [...users.values()]
}

/** Logins of a site: names, hashes and directories below it, each between colons. */
function ftpOf({ name, folder, values }: Described, homes: readonly string[]): SourceFtp[] {
  const [logins, hashes, paths] = ['FTP_USER', 'FTP_MD5', 'FTP_PATH'].map((key) => (values.get(key) ?? '').split(':'))
  const site = `${homes[0] ?? ''}/web/${nameText(folder)}`
  return logins!.flatMap((local, at): SourceFtp[] => {
    if (local === '') return []
    const path = (paths![at] ?? '').replace(/\/+$/, '')
    const directory =
      path === site || path.startsWith(`${site}/`)
        ? path
        : `${site}${path === '' || path.startsWith('/') ? path : `/${path}`}`
    return [{ local, domain: name, hash: hashes![at] ?? '', directory, isOwn: false }]
  })
}

/** Each job as a line of a crontab at its place. */
function crontabOf(texts: ArchiveTexts): string {
  const file = 'cron/cron.conf'
  const lines = linesOf(texts.of(file) ?? '').map((line, at) => {
    const values = quotedValues(line)
    const command = (values.get('CMD') ?? '').replaceAll('%quote%', "'").replaceAll('%dots%', ':')
    if (command === '') return ''
    if (values.get('SUSPENDED') === 'yes') {
      const text = 'was suspended, and was left out'
      texts.find({ part: 'cron', item: `line ${at + 1}`, text, file, line: at + 1 })
      return ''
    }
    return [...['MIN', 'HOUR', 'DAY', 'MONTH', 'WDAY'].map((key) => values.get(key) || '*'), command].join(' ')
  })
  return lines.join('\n')
}

function certificateOf(texts: HestiaTexts, { name, folder }: Described): SourceCertificate | undefined {
  const part = (end: string) => texts.own(`web/${folder}`, `${folder}.${end}`) ?? ''
  return certificateIn(name, `${part('crt')}\n${part('ca')}`, part('key'))
}
