import { isIPv4 } from 'node:net'
import type { AccountState, ServerConfig } from '../driver.ts'
import { type DirSpec, ownerLine, type Rendered, systemDir, systemFile } from './spec.ts'

/** The zone's nameservers; a server that names none serves its zones itself. */
function nameserversOf({ nameservers, hostname }: ServerConfig): readonly string[] {
  return nameservers.length > 0 ? [...new Set(nameservers)] : [hostname]
}

function authority(account: AccountState, nameservers: readonly string[]): string[] {
  const { mainDomain, zoneSerial } = account
  return [
    `@ IN SOA ${nameservers[0]}. hostmaster.${mainDomain}. ${zoneSerial} 3600 900 1209600 300`,
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

function records({ mainDomain, ipAddress }: AccountState, nameservers: readonly string[]): string[] {
  const [type, mechanism] = isIPv4(ipAddress) ? ['A', 'ip4'] : ['AAAA', 'ip6']
  const names = ['@', 'www', 'mail', ...glueNames(mainDomain, nameservers)]
  return [
    ...names.map((name) => `${name} IN ${type} ${ipAddress}`),
    `@ IN MX 0 mail.${mainDomain}.`,
    `@ IN TXT "v=spf1 a mx ${mechanism}:${ipAddress} ~all"`,
  ]
}

/** The zone of the main domain, and its line in named's list. A suspended account's zone stays. */
export function renderDns(account: AccountState, server: ServerConfig): Rendered {
  const { mainDomain, username } = account
  const nameservers = nameserversOf(server)
  const head = [ownerLine(';', account), `$ORIGIN ${mainDomain}.`, '$TTL 3600']
  const zone = [...head, ...authority(account, nameservers), ...records(account, nameservers)]
  const entry = `zone "${mainDomain}" { type primary; file "/etc/bind/panel/zones/${mainDomain}.zone"; };`
  return {
    dirs: [],
    files: [
      systemFile(`etc/bind/panel/zones/${mainDomain}.zone`, 0o644, zone, 'bind'),
      systemFile(`etc/bind/panel/zones.d/${username}`, 0o644, [entry], 'bind'),
    ],
  }
}

/** Below /etc/bind, which is what Debian's AppArmor profile lets named read. */
export const dnsDirs: readonly DirSpec[] = [
  systemDir('etc/bind/panel', 0o755),
  systemDir('etc/bind/panel/zones', 0o755),
  systemDir('etc/bind/panel/zones.d', 0o755),
]
