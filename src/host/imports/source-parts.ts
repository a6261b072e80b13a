import type {
  SourceCertificate,
  SourceDatabase,
  SourceDatabaseUser,
  SourceDomain,
  SourceOther,
} from '../contract/commands/imports.ts'
import type { Collected } from './collected.ts'
import { linesOf, nameText } from './text.ts'

const certificateText = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g
const keyText = /-----BEGIN (?:RSA |EC |)PRIVATE KEY-----[\s\S]*?-----END (?:RSA |EC |)PRIVATE KEY-----/

/** A certificate with its key and the chain after it; undefined without one of both. */
export function certificateIn(domain: string, certificates: string, keys: string): SourceCertificate | undefined {
  const [first, ...chain] = certificates.match(certificateText) ?? []
  const key = keyText.exec(keys)?.[0]
  if (first === undefined || key === undefined) return undefined
  return { domain, certificate: first, key, chain: chain.join('\n') }
}

/** A native hash of MySQL's; a suspended user's begins with a dash. */
export function nativeHashOf(
  hash: string,
  isSha2 = false,
): Pick<SourceDatabaseUser, 'hash' | 'hashKind' | 'isSuspended'> {
  const isSuspended = /^-[0-9A-F]{40}$/i.test(hash)
  const native = isSuspended ? `*${hash.slice(1)}` : hash
  if (/^\*[0-9A-F]{40}$/i.test(native)) return { hash: native.toUpperCase(), hashKind: 'native', isSuspended }
  if (isSha2 || hash.startsWith('$A$')) return { hashKind: 'sha2', isSuspended: false }
  return { hashKind: /^-?[0-9a-f]{16}$/i.test(hash) ? 'old' : 'none', isSuspended: false }
}

type Collating = Pick<SourceDatabase, 'charset' | 'collation'>

/** The dumps, with what the archive says of each database. */
export const dumpsOf = ({ dumps }: Collected, about: (bytes: string) => Collating): SourceDatabase[] =>
  [...dumps].map(([bytes, found]) => {
    const name = nameText(bytes)
    return { name, ...about(bytes), ...found }
  })

const whatTheyAre: Readonly<Record<string, string>> = {
  psql: 'PostgreSQL databases',
  mm: 'mailing lists',
  mma: 'archives of mailing lists',
  mms: 'subscribers of mailing lists',
  ccs: 'calendars and contacts',
  team: 'team users',
  digestshadow: 'Web Disk passwords',
  'webcalls.json': 'dynamic DNS hosts',
  resellerconfig: "a reseller's settings",
  dnssec_keys: 'DNSSEC keys',
  bandwidth: 'bandwidth records',
  logs: 'old logs',
}

/** What does not come, by what it is. */
export const othersOf = ({ unknown }: Collected): SourceOther[] =>
  [...unknown].flatMap(([name, count]) => {
    const what = name.startsWith('\0') ? whatTheyAre[name.slice(1)] : `unknown entries at ${name}`
    return what === undefined ? [] : [{ what, count }]
  })

/** A path below the home, as far as it is one. */
export function relativeTo(homes: readonly string[], path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const home = homes.find((one) => path === one || path.startsWith(`${one}/`))
  return home === undefined ? undefined : cleanRelative(path.slice(home.length + 1))
}

/** A path without what leads elsewhere or cannot be in a name. */
export function cleanRelative(path: string): string | undefined {
  const parts = path.replace(/^\/+|\/+$/g, '').split('/')
  const isUnusable = (part: string) => part === '' || part === '.' || part === '..' || /\p{Cc}/u.test(part)
  return parts.some(isUnusable) ? undefined : parts.join('/')
}

/** A whole number; `unlimited` and what is none: undefined. */
export const countIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined

/** A size or a time above zero; what is too large to be one means no limit. */
export const positive = (value: number): number | undefined =>
  value > 0 && Number.isSafeInteger(Math.ceil(value)) ? Math.ceil(value) : undefined

/** The limits that are numbers, by the names of what they limit. */
export function limitsIn(
  textOf: (key: string) => string | undefined,
  names: Readonly<Record<string, string>>,
): Record<string, number> {
  const all = Object.entries(names).flatMap(([key, name]) => {
    const count = countIn(textOf(key))
    return count === undefined ? [] : [[name, count] as const]
  })
  return Object.fromEntries(all)
}

/** The public keys of `authorized_keys`. */
export const sshKeysIn = (text: string): string[] => linesOf(text).filter((line) => /^[^#\s]/.test(line))

/** What can be addresses, each once. */
export const addressesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.map((one) => one.trim()).filter((one) => /^[0-9a-f.:]{3,45}$/i.test(one))),
]

const order = { main: 0, addon: 1, sub: 2, parked: 3 } as const

/** The main domain first; of two with the same name the first. */
export function inOrder(domains: readonly SourceDomain[]): SourceDomain[] {
  const sorted = domains.toSorted((a, b) => order[a.kind] - order[b.kind])
  return sorted.filter(({ name }, at) => sorted.findIndex((one) => one.name === name) === at)
}

/** The hash in a line of `shadow`; `!!` stands in front of a suspended account's. */
export const shadowHashIn = (text = ''): string | undefined =>
  text
    .trim()
    .split(':')
    .find((field) => field.includes('$'))
    ?.replace(/^[!*]+/, '')

/** A grant's pattern for one database alone. */
export const literalPattern = (name: string): string => name.replaceAll(/[\\%_]/g, '\\$&')
