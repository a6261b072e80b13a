import { isIPv4 } from 'node:net'
import type { AccountCore, ServerConfig } from '../account.ts'
import { fields, whole } from '../fields.ts'
import { part } from '../part.ts'
import { ownerLine, systemDir, systemFile } from '../spec.ts'

export interface DnsState {
  /** Serial of the zone, rising with every change. */
  readonly serial: number
}

/** The zone's nameservers; a server that names none serves its zones itself. */
function nameserversOf({ nameservers, hostname }: ServerConfig): readonly string[] {
  return nameservers.length > 0 ? [...new Set(nameservers)] : [hostname]
}

function authority({ mainDomain }: AccountCore, { serial }: DnsState, nameservers: readonly string[]): string[] {
  return [
    `@ IN SOA ${nameservers[0]}. hostmaster.${mainDomain}. ${serial} 3600 900 1209600 300`,
    ...nameservers.map((name) => `@ IN NS ${name}.`),
  ]
}

/** A nameserver inside the zone needs its address there, or the zone does not load. */
function glueNames(mainDomain: string, nameservers: readonly string[]): string[] {
  const inside = nameservers.filter((name) => name.endsWith(`.${mainDomain}`))
  return inside
    .map((name) => `${name}.`)
    .filter((name) => !['www', 'mail'].some((own) => name === `${own}.${mainDomain}.`))
}

function records({ mainDomain, ipAddress }: AccountCore, nameservers: readonly string[]): string[] {
  const [type, mechanism] = isIPv4(ipAddress) ? ['A', 'ip4'] : ['AAAA', 'ip6']
  const names = ['@', 'www', 'mail', ...glueNames(mainDomain, nameservers)]
  return [
    ...names.map((name) => `${name} IN ${type} ${ipAddress}`),
    `@ IN MX 0 mail.${mainDomain}.`,
    `@ IN TXT "v=spf1 a mx ${mechanism}:${ipAddress} ~all"`,
  ]
}

/** The zone of the main domain, and its line in named's list. A suspended account's zone stays. */
export const dns = part({
  name: 'dns',
  // Below /etc/bind, which is what Debian's AppArmor profile lets named read.
  dirs: ['etc/bind/panel', 'etc/bind/panel/zones', 'etc/bind/panel/zones.d'].map((path) => systemDir(path, 0o755)),
  check: fields<DnsState>({ serial: whole(0, 2 ** 32 - 1) }, 'DNS'),
  render(core, state, server) {
    const { mainDomain, username } = core
    const nameservers = nameserversOf(server)
    const head = [ownerLine(';', core), `$ORIGIN ${mainDomain}.`, '$TTL 3600']
    const zone = [...head, ...authority(core, state, nameservers), ...records(core, nameservers)]
    const entry = `zone "${mainDomain}" { type primary; file "/etc/bind/panel/zones/${mainDomain}.zone"; };`
    const files = [
      systemFile(`etc/bind/panel/zones/${mainDomain}.zone`, 0o644, zone, 'bind'),
      systemFile(`etc/bind/panel/zones.d/${username}`, 0o644, [entry], 'bind'),
    ]
    return { dirs: [], files }
  },
})
