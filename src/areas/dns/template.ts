import { isIPv4 } from 'node:net'
import { servicePorts } from '../../contract/service-ports.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { isWithin, relative } from './names.ts'

/** The inputs for a new zone's records. */
export interface TemplateOf {
  readonly zone: string
  readonly addresses: readonly string[]
  readonly hostname: string
  /** The account is on another machine than the server. */
  readonly elsewhere?: boolean
  /** The owner's; empty: the server itself. */
  readonly nameservers: readonly string[]
  /** The subdomains' names, relative to the zone. */
  readonly subs: readonly string[]
  /** Zones of the account below this one, relative to it. */
  readonly zones: readonly string[]
}

/** The address records of a name. */
export const addressRecords = (name: string, addresses: readonly string[]): ZoneRecord[] =>
  addresses.map((value) => ({ name, type: isIPv4(value) ? 'A' : 'AAAA', value }))

/** A zone's name servers; without any, the server itself. */
export const serversOf = (nameservers: readonly string[], hostname: string): readonly string[] =>
  nameservers.length > 0 ? [...new Set(nameservers)] : [hostname]

export const spf = (addresses: readonly string[]): string =>
  ['v=spf1 a mx', ...addresses.map((one) => `${isIPv4(one) ? 'ip4' : 'ip6'}:${one}`), '~all'].join(' ')

/** In-zone names of name servers and the server, which need an address in it. */
const serversInside = ({ zone, hostname, nameservers }: TemplateOf): string[] =>
  [...nameservers, hostname].filter((name) => name.endsWith(`.${zone}`)).map((name) => relative(name, zone))

function mailService({ zone, hostname, elsewhere }: TemplateOf, service: string, port: number): ZoneRecord {
  const value = hostname.includes('.') && !elsewhere ? hostname : `mail.${zone}`
  return { name: `${service}._tcp`, type: 'SRV', value, priority: 0, weight: 1, port }
}

/** What mail programs ask for an address's settings. */
export const discoveryNames = ['autoconfig', 'autodiscover'] as const

export const discoveryServiceName = '_autodiscover._tcp'

export const discoveryService = ({ zone }: Pick<TemplateOf, 'zone'>): ZoneRecord => ({
  ...{ name: discoveryServiceName, type: 'SRV', value: `autodiscover.${zone}` },
  ...{ priority: 0, weight: 0, port: 443 },
})

function delegations({ zone, zones, nameservers, hostname }: TemplateOf): ZoneRecord[] {
  const servers = serversOf(nameservers, hostname)
  return zones.flatMap((name) =>
    servers
      .filter((server) => server.includes('.') && !isWithin(server, `${name}.${zone}`))
      .map((value) => ({ name, type: 'NS' as const, value })),
  )
}

/** The records of a new zone, in order. */
export function templateOf(of: TemplateOf): ZoneRecord[] {
  const { zone, addresses } = of
  const addressed = new Set(['@', 'www', 'mail', ...discoveryNames, ...serversInside(of)])
  return [
    ...[...addressed].flatMap((name) => addressRecords(name, addresses)),
    { name: '@', type: 'MX', value: `mail.${zone}`, priority: 0 },
    { name: '@', type: 'TXT', value: spf(addresses) },
    { name: '_dmarc', type: 'TXT', value: 'v=DMARC1; p=none' },
    mailService(of, '_imaps', servicePorts.imap),
    mailService(of, '_submissions', servicePorts.smtp),
    discoveryService(of),
    ...of.subs.filter((name) => !addressed.has(name)).flatMap((name) => addressRecords(name, addresses)),
    ...delegations(of),
  ]
}
