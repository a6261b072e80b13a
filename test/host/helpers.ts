import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type {
  AccountCore,
  AccountName,
  AccountState,
  ApplyResult,
  HostDriver,
  HostParts,
  ServerConfig,
} from '../../src/host/contract/driver.ts'
import { createDirectoryDriver, type DirectoryOptions } from '../../src/host/driver/file-driver.ts'
import { hostStates } from '../fixtures/index.ts'

export type Site = HostParts['web']['sites'][number]

export const server: ServerConfig = { hostname: 'host.example', nameservers: ['ns1.host.example', 'ns2.host.example'] }

/** The ULID of a number. */
export const idOf = (number: number) => `01J${String(number).padStart(23, '0')}`

/** Differences from the default account: of the core, and of any part. */
export type Over = Partial<AccountCore> & { readonly parts?: { readonly [Part in keyof HostParts]?: object } }

export const phpSettings = {
  memoryMb: 128,
  executionS: 30,
  uploadMb: 64,
  postMb: 65,
  inputVars: 1000,
  displayErrors: false,
  opcache: true,
  extensions: [],
} as const

const defaultValue = {
  ...hostStates,
  limits: { diskMb: 100, phpChildren: 5 },
  php: { children: 5, maxExecutionS: 300, idleMinutes: 10, pools: [{ settings: phpSettings }] },
  web: { cgi: false, php: true, sites: [] },
  tls: { challenges: [], certificates: [] },
} as unknown as HostParts

type ZoneState = HostParts['dns']['zones'][number]

/** The initial zone of a domain. */
export const zoneStateOf = (name: string, ip: string, over: Partial<ZoneState> = {}): ZoneState => {
  const type = isIPv4(ip) ? 'A' : 'AAAA'
  return {
    name,
    serial: 2026010101,
    ttl: 3600,
    refresh: 3600,
    retry: 900,
    expire: 1_209_600,
    minimum: 300,
    nameservers: server.nameservers,
    records: [
      ...['@', 'www', 'mail'].map((owner) => ({ name: owner, type, value: ip }) as const),
      { name: '@', type: 'MX', value: `mail.${name}`, priority: 0 },
      { name: '@', type: 'TXT', value: `v=spf1 a mx ${isIPv4(ip) ? 'ip4' : 'ip6'}:${ip} ~all` },
    ],
    challenges: [],
    ...over,
  }
}

type MailDomain = HostParts['mail']['domains'][number]

/** The initial mail of a domain. */
export const mailDomain = (domain: string, over: Partial<MailDomain> = {}): MailDomain => ({
  domain,
  routing: 'local',
  dkim: [],
  mailboxes: [],
  forwarders: [],
  ...over,
})

/** The initial site of a domain. */
export const siteOf = (name: string, over: Partial<Site> = {}): Site => ({
  file: name,
  names: [name, `www.${name}`],
  documentRoot: `sites/${name}/public`,
  handler: 'php',
  tls: false,
  httpsRedirect: false,
  redirects: [],
  ...over,
})

type Redirect = Site['redirects'][number]

export const redirect = (path: string, over: Partial<Redirect> = {}): Redirect => ({
  path,
  match: 'exact',
  target: 'https://new.example/',
  status: 301,
  keepPath: false,
  ...over,
})

function partsOf(mainDomain: string, ip: string, over: Over['parts'] = {}): HostParts {
  const names = Object.keys(defaultValue) as (keyof HostParts)[]
  const all = {
    ...defaultValue,
    web: { ...defaultValue.web, sites: [siteOf(mainDomain)] },
    dns: { zones: [zoneStateOf(mainDomain, ip)] },
    mail: { ...defaultValue.mail, domains: [mailDomain(mainDomain)] },
  }
  return Object.fromEntries(names.map((name) => [name, { ...all[name], ...over[name] }])) as HostParts
}

export function account({ parts, ...over }: Over = {}): AccountState {
  const core = {
    id: idOf(1),
    username: 'bob',
    uid: 20001,
    mainDomain: 'bob.example',
    contactEmail: 'bob@elsewhere.example',
    ipAddress: '192.0.2.7',
    shell: '/usr/sbin/nologin',
    suspended: false,
    ...over,
  }
  return { ...core, parts: partsOf(core.mainDomain, core.ipAddress, parts) }
}

/** The default account with another zone serial. */
export const withSerial = (serial: number): AccountState =>
  account({ parts: { dns: { zones: [zoneStateOf('bob.example', '192.0.2.7', { serial })] } } })

export const nameOf = ({ id, username, uid, mainDomain }: AccountState): AccountName => ({
  id,
  username,
  uid,
  mainDomain,
})

/** Many accounts that differ in all their names. */
export const accounts = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    account({ id: idOf(n + 1), username: `user${n}`, uid: 20001 + n, mainDomain: `user${n}.example` }),
  )

export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-host-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export interface Bench {
  readonly root: string
  readonly driver: HostDriver
  read(path: string): string
  mode(path: string): string
  has(path: string): boolean
}

export function bench(options: Partial<DirectoryOptions> = {}): Bench {
  const root = options.root ?? join(tempDir(), 'host')
  const at = (path: string) => join(root, path)
  return {
    root,
    driver: createDirectoryDriver({ root, ...options }),
    read: (path) => readFileSync(at(path), 'utf8'),
    mode: (path) => (lstatSync(at(path)).mode & 0o7777).toString(8),
    has: (path) => lstatSync(at(path), { throwIfNoEntry: false }) !== undefined,
  }
}

export const apply = (driver: HostDriver, ...accounts: AccountState[]) => driver.apply({ server, accounts })

export const changes = ({ areas }: ApplyResult) => areas.reduce((sum, { changed }) => sum + changed, 0)

/** Everything below a directory: path to mode and content, without the history of what was applied. */
export function snapshot(root: string): Record<string, string> {
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  const names = all.filter((name) => !name.startsWith('var/lib/panel-host/applied'))
  return Object.fromEntries(names.map((name) => [name, describe(join(root, name))]))
}

function describe(path: string): string {
  const stats = lstatSync(path)
  const mode = (stats.mode & 0o7777).toString(8)
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  return stats.isDirectory() ? `${mode}/` : `${mode} ${readFileSync(path, 'utf8')}`
}
