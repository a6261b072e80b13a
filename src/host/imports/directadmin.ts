import type {
  ImportSource,
  SourceCertificate,
  SourceDatabaseUser,
  SourceDomain,
  SourceFinding,
  SourceFtp,
  SourceGrant,
  SourceMailDomain,
  SourcePlan,
} from '../contract/commands/imports.ts'
import { ArchiveTexts } from './archive-texts.ts'
import type { Collected } from './collected.ts'
import { cronOf } from './crontab.ts'
import { aliasesIn, autorespondersIn, mailboxesIn } from './directadmin-mail.ts'
import { type DirectAdminDomain, urlDecoded, valuesIn } from './directadmin-texts.ts'
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
  shadowHashIn,
  sshKeysIn,
} from './source-parts.ts'
import { asciiDomain, escaped, keyValues, linesOf, nameText } from './text.ts'

/** Whether it is an archive of a user's of DirectAdmin. */
export const isDirectAdmin = ({ texts, files }: Collected): boolean =>
  [...texts.keys()].some((path) => /^backup\/(?:user\.conf|[^/]+\/domain\.conf)$/.test(path)) || files.files > 0

/** The account in an archive of DirectAdmin's. */
export function readDirectAdmin(collected: Collected): ImportSource {
  const findings: SourceFinding[] = [...collected.findings]
  const texts = new ArchiveTexts(collected, findings)
  const user = keyValues(texts.of('backup/user.conf') ?? '')
  const username = user.get('username') ?? ''
  const own = domainsWithFolder(texts)
  const mainDomain = mainOf(user, own)
  const homes = /^[\w.-]+$/.test(username) ? [`/home/${username}`] : []
  const domains = domainsOf(texts, own, mainDomain, homes)
  const roots = domains.flatMap(({ documentRoot }) => documentRoot ?? [])
  return {
    format: 'directadmin',
    sizeBytes: collected.sizeBytes,
    username,
    mainDomain,
    homes,
    plan: planOf(texts, user, own),
    domains,
    mailboxes: mailboxesIn(texts, collected, own, { username, mainDomain }),
    aliases: aliasesIn(texts, own),
    autoresponders: autorespondersIn(texts, own),
    mailDomains: own.map(routingOf),
    zones: zonesOf(texts, own),
    databases: dumpsOf(collected, (bytes) => collationOf(texts.of(`backup/${bytes}.conf`))),
    databaseUsers: databaseUsersOf(texts, collected),
    ftp: ftpOf(texts, own, username),
    cron: cronOf(crontabOf(texts.of('backup/crontab.conf') ?? ''), 'backup/crontab.conf', findings),
    certificates: certificatesOf(texts, own),
    sshKeys: sshKeysIn(texts.home('.ssh/authorized_keys') ?? ''),
    htaccess: [...collected.htaccess, ...protectedLinks({ ...collected, homes, roots })],
    files: collected.files,
    others: othersOf(collected),
    findings: [...findings, ...filtersOf(texts, own)],
  }
}

function domainsWithFolder(texts: ArchiveTexts): DirectAdminDomain[] {
  return texts.foldersOf('backup', /^domain\.conf$/).flatMap((folder) => {
    const settings = keyValues(texts.of(`backup/${folder}/domain.conf`) ?? '')
    const name = asciiDomain(nameText(folder))
    return name === undefined ? [] : [{ name, folder, settings }]
  })
}

function mainOf(user: ReadonlyMap<string, string>, own: readonly DirectAdminDomain[]): string {
  const named = asciiDomain(user.get('domain') ?? '')
  const byDefault = own.find(({ settings }) => settings.get('defaultdomain') === 'yes') ?? own[0]
  return named ?? byDefault?.name ?? ''
}

const maximums = {
  nemails: 'email_accounts',
  mysql: 'databases',
  ftp: 'ftp_accounts',
  nsubdomains: 'subdomains',
  domainptr: 'parked_domains',
} as const

function planOf(texts: ArchiveTexts, user: ReadonlyMap<string, string>, own: readonly DirectAdminDomain[]): SourcePlan {
  const text = (key: string) => user.get(key) || undefined
  const [quotaMb, bandwidthMb] = [countIn(text('quota')), countIn(text('bandwidth'))]
  const startedAt = Date.parse(text('date_created') ?? '')
  const passwordHash = shadowHashIn(texts.of('backup/.shadow'))
  const reason = text('suspended_reason') ?? text('suspension_reason') ?? text('suspend_reason')
  // The first of its domains is the main one.
  const addons = countIn(text('vdomains'))
  return {
    ...(text('package') && { name: escaped(text('package')!) }),
    ...(text('creator') && { owner: escaped(text('creator')!) }),
    ...(text('email') && { contact: text('email')! }),
    ...(text('language') && { locale: escaped(text('language')!) }),
    ...(startedAt > 0 && { startedAt }),
    ...(text('suspended') === 'yes' && { suspended: { reason: escaped(reason ?? '') } }),
    ...(passwordHash !== undefined && { passwordHash }),
    ...(text('ssh') === 'ON' && { shell: '/bin/bash' }),
    ips: ipsOf(texts, user, own),
    ...(quotaMb !== undefined && quotaMb > 0 && { quotaMb }),
    ...(bandwidthMb !== undefined && bandwidthMb > 0 && { bandwidthMb }),
    limits: {
      ...limitsIn(text, maximums),
      ...(addons !== undefined && { addon_domains: Math.max(0, addons - 1) }),
    },
  }
}

function ipsOf(texts: ArchiveTexts, user: ReadonlyMap<string, string>, own: readonly DirectAdminDomain[]): string[] {
  const listed = ['backup/user_ip.list', ...own.map(({ folder }) => `backup/${folder}/domain.ip_list`)]
  return addressesIn([
    user.get('ip') ?? '',
    ...own.map(({ settings }) => settings.get('ip') ?? ''),
    ...listed.flatMap((path) => linesOf(texts.of(path) ?? '')),
  ])
}

function domainsOf(
  texts: ArchiveTexts,
  own: readonly DirectAdminDomain[],
  mainDomain: string,
  homes: readonly string[],
): SourceDomain[] {
  const all = own.flatMap((domain): SourceDomain[] => [
    {
      name: domain.name,
      kind: domain.name === mainDomain ? 'main' : 'addon',
      ...rootOf(texts, domain, homes),
      ...phpOf(texts, domain),
    },
    ...subdomainsOf(texts, domain),
    ...pointersOf(texts, domain),
  ])
  if (mainDomain !== '' && !all.some(({ kind }) => kind === 'main'))
    all.unshift({ name: mainDomain, kind: 'main', documentRoot: `domains/${mainDomain}/public_html` })
  return inOrder(all)
}

/** `public_html`, unless the administrator has set another directory. */
function rootOf(
  texts: ArchiveTexts,
  { folder }: DirectAdminDomain,
  homes: readonly string[],
): { documentRoot?: string } {
  const custom = texts.of(`backup/${folder}/domain.cust_httpd`) ?? ''
  const [, inHome] = /\|\?DOCROOT=`HOME`\/([^|\r\n]+)\|/.exec(custom) ?? []
  const [, absolute] = /\|\?DOCROOT=(\/[^|`\r\n]+)\|/.exec(custom) ?? []
  if (absolute !== undefined) {
    const root = relativeTo(homes, absolute.trim())
    return root === undefined ? {} : { documentRoot: root }
  }
  const byDefault = `domains/${nameText(folder)}/public_html`
  return { documentRoot: (inHome && cleanRelative(inHome.trim())) || byDefault }
}

function phpOf(texts: ArchiveTexts, { name, settings, folder }: DirectAdminDomain): { php?: string } {
  const selected = settings.get('php1_select')
  const file = escaped(`backup/${folder}/domain.conf`)
  const [, major, minor] = /^php(\d)(\d+)$/.exec(settings.get('php1_version') ?? '') ?? []
  if (major !== undefined) return { php: `${major}.${minor}` }
  if (selected !== undefined && selected !== '' && selected !== '0')
    texts.find({
      part: 'domains',
      item: `${name} PHP`,
      text: `the archive names the ${escaped(selected)}. version of PHP of its server, not which one it is`,
      file,
    })
  return {}
}

function subdomainsOf(texts: ArchiveTexts, { name, folder }: DirectAdminDomain): SourceDomain[] {
  const roots = keyValues(texts.of(`backup/${folder}/domain.subdomains.docroot.override`) ?? '')
  return linesOf(texts.of(`backup/${folder}/subdomain.list`) ?? '').flatMap((line): SourceDomain[] => {
    const label = line.trim().toLowerCase()
    const full = asciiDomain(`${label}.${name}`)
    if (label === '' || full === undefined) return []
    const override = valuesIn(roots.get(label) ?? '').get('public_html')
    const root = override === undefined ? undefined : cleanRelative(override)
    const byDefault = `domains/${nameText(folder)}/public_html/${label}`
    return [{ name: full, kind: 'sub', parent: name, documentRoot: root ?? byDefault }]
  })
}

function pointersOf(texts: ArchiveTexts, { name, folder }: DirectAdminDomain): SourceDomain[] {
  const file = `backup/${folder}/domain.pointers`
  return [...keyValues(texts.of(file) ?? '')].flatMap(([pointer, kind]): SourceDomain[] => {
    const parked = asciiDomain(pointer)
    if (parked === undefined) return []
    if (!/\balias\b/.test(kind))
      texts.find({
        part: 'domains',
        item: `${parked} redirect`,
        text: `visitors were redirected to ${name}; here it shows the same site`,
        file: escaped(file),
      })
    return [{ name: parked, kind: 'parked', parent: name }]
  })
}

const routingOf = ({ name, settings }: DirectAdminDomain): SourceMailDomain => ({
  domain: name,
  routing: settings.get('local_domain') === '0' ? 'remote' : 'auto',
})

function zonesOf(texts: ArchiveTexts, own: readonly DirectAdminDomain[]): ImportSource['zones'] {
  return own.flatMap(({ folder }) =>
    texts.below(`backup/${folder}/`).flatMap(({ name, text }) => {
      const zone = /^[^/]+\.db$/.test(name) ? asciiDomain(nameText(name.slice(0, -3))) : undefined
      return zone === undefined ? [] : [{ name: zone, text, file: `backup/${folder}/${name}`, isSigned: false }]
    }),
  )
}

function collationOf(text = ''): { charset?: string; collation?: string } {
  const values = valuesIn(keyValues(text).get('db_collation') ?? '')
  const [charset, collation] = [values.get('DEFAULT_CHARACTER_SET_NAME'), values.get('DEFAULT_COLLATION_NAME')]
  return { ...(charset && { charset }), ...(collation && { collation }) }
}

/** Of a database's file: all other lines are users. */
const noUser = new Set(['accesshosts', 'db_collation'])

function databaseUsersOf(texts: ArchiveTexts, { dumps }: Collected): SourceDatabaseUser[] {
  const users = new Map<string, { hosts: Set<string>; hash: string; grants: SourceGrant[] }>()
  for (const bytes of dumps.keys()) {
    const database = nameText(bytes)
    const lines = keyValues(texts.of(`backup/${bytes}.conf`) ?? '')
    const hosts = hostsIn(lines.get('accesshosts') ?? '')
    for (const [name, line] of lines) {
      if (noUser.has(name)) continue
      const values = valuesIn(line)
      const user = users.get(name) ?? { hosts: new Set(), hash: values.get('passwd') ?? '', grants: [] }
      users.set(name, user)
      for (const host of hosts) user.hosts.add(host)
      const literal = literalPattern(database)
      user.grants.push({
        database: literal,
        privileges: privilegesIn(values),
        grantOption: isYes(values, 'grant_priv'),
      })
    }
  }
  return [...users].map(([name, { hosts, hash, grants }]) => ({
    name,
    hosts: [...hosts],
    ...nativeHashOf(hash),
    grants,
  }))
}

/** `0=localhost&1=%`. */
function hostsIn(text: string): string[] {
  const hosts = text.split('&').flatMap((one) => /^\d+=(.+)$/.exec(one)?.[1] ?? [])
  return hosts.length > 0 ? hosts.map(urlDecoded) : ['localhost']
}

const isYes = (values: ReadonlyMap<string, string>, key: string): boolean => values.get(key)?.toUpperCase() === 'Y'

const privilegeNames = {
  select_priv: 'SELECT',
  insert_priv: 'INSERT',
  update_priv: 'UPDATE',
  delete_priv: 'DELETE',
  create_priv: 'CREATE',
  drop_priv: 'DROP',
  references_priv: 'REFERENCES',
  index_priv: 'INDEX',
  alter_priv: 'ALTER',
  create_tmp_table_priv: 'CREATE TEMPORARY TABLES',
  lock_tables_priv: 'LOCK TABLES',
  create_view_priv: 'CREATE VIEW',
  show_view_priv: 'SHOW VIEW',
  create_routine_priv: 'CREATE ROUTINE',
  alter_routine_priv: 'ALTER ROUTINE',
  execute_priv: 'EXECUTE',
  event_priv: 'EVENT',
  trigger_priv: 'TRIGGER',
} as const

function privilegesIn(values: ReadonlyMap<string, string>): string[] {
  const all = Object.entries(privilegeNames)
  const had = all.filter(([key]) => isYes(values, key)).map(([, name]) => name)
  return had.length === all.length ? ['ALL'] : had
}

/** `LOGIN@DOMAIN=passwd=…&path=…&type=…`; the account's own has no domain. */
function ftpOf(texts: ArchiveTexts, own: readonly DirectAdminDomain[], username: string): SourceFtp[] {
  const logins = new Map<string, SourceFtp>()
  for (const { name, folder } of own)
    for (const [login, line] of keyValues(texts.of(`backup/${folder}/ftp.passwd`) ?? '')) {
      const values = valuesIn(line)
      const at = login.lastIndexOf('@')
      const local = at < 0 ? login : login.slice(0, at)
      const domain = at < 0 ? name : (asciiDomain(login.slice(at + 1)) ?? name)
      const hash = (values.get('passwd') ?? '').replace(/^!+/, '')
      const key = at < 0 ? login : `${local}@${domain}`
      if (!logins.has(key))
        logins.set(key, { local, domain, hash, directory: values.get('path') ?? '', isOwn: login === username })
    }
  return [...logins.values()]
}

/** `N=line`, each as a line of a crontab at its place. */
const crontabOf = (text: string): string =>
  linesOf(text)
    .map((line) => line.replace(/^\d+=/, ''))
    .map((line) => (/^(?:MAILTO|SHELL|PATH)=/.test(line) || !/^[A-Za-z_]\w*=/.test(line) ? line : ''))
    .join('\n')

function certificatesOf(texts: ArchiveTexts, own: readonly DirectAdminDomain[]): SourceCertificate[] {
  return own.flatMap(({ name, folder }) => {
    const part = (end: string) => texts.of(`backup/${folder}/domain.${end}`) ?? ''
    return certificateIn(name, `${part('cert')}\n${part('cacert')}`, part('key')) ?? []
  })
}

function filtersOf(texts: ArchiveTexts, own: readonly DirectAdminDomain[]): SourceFinding[] {
  return own.flatMap(({ name, folder }) =>
    ['filter', 'filter.conf'].flatMap((end): SourceFinding[] => {
      const path = `backup/${folder}/email/${end}`
      const rules = linesOf(texts.of(path) ?? '').filter((line) => /\S/.test(line) && !line.startsWith('#'))
      if (rules.length === 0) return []
      return [
        {
          part: 'filters',
          item: `filter ${name}`,
          text: 'mail filters do not come: write the rules anew',
          file: escaped(path),
        },
      ]
    }),
  )
}
