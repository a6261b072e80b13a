import { isIPv4 } from 'node:net'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { isWithin, relative } from './names.ts'

/** The inputs for a new zone's records. */
export interface TemplateOf {
  readonly zone: string
  readonly ip: string
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

/** The address record of a name. */
export const addressRecord = (name: string, ip: string): ZoneRecord => ({
  name,
  type: isIPv4(ip) ? 'A' : 'AAAA',
  value: ip,
})

/** A zone's name servers; without any, the server itself. */
export const serversOf = (nameservers: readonly string[], hostname: string): readonly string[] =>
  nameservers.length > 0 ? [...new Set(nameservers)] : [hostname]

export const spf = (ip: string): string => `v=spf1 a mx ${isIPv4(ip) ? 'ip4' : 'ip6'}:${ip} ~all`

/** In-zone names of name servers and the server, which need an address in it. */
const serversInside = ({ zone, hostname, nameservers }: TemplateOf): string[] =>
  [...nameservers, hostname].filter((name) => name.endsWith(`.${zone}`)).map((name) => relative(name, zone))

function mailService({ zone, hostname, elsewhere }: TemplateOf, service: string, port: number): ZoneRecord {
  const value = hostname.includes('.') && !elsewhere ? hostname : `mail.${zone}`
  return { name: `${service}._tcp`, type: 'SRV', value, priority: 0, weight: 1, port }
}

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
  const { zone, ip } = of
  const addressed = new Set(['@', 'www', 'mail', ...serversInside(of)])
  return [
    ...[...addressed].map((name) => addressRecord(name, ip)),
    { name: '@', type: 'MX', value: `mail.${zone}`, priority: 0 },
    { name: '@', type: 'TXT', value: spf(ip) },
    { name: '_dmarc', type: 'TXT', value: 'v=DMARC1; p=none' },
    mailService(of, '_imaps', 993),
    mailService(of, '_submissions', 465),
    ...of.subs.filter((name) => !addressed.has(name)).map((name) => addressRecord(name, ip)),
    ...delegations(of),
  ]
}
