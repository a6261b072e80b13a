import { zoneLines } from '../../../shared/zone/text.ts'
import type { AccountCore } from '../../contract/account.ts'
import { part } from '../part.ts'
import { type FileSpec, ownerLine, type Rendered, systemDir, systemFile } from '../spec.ts'
import { checkDns } from './check.ts'
import { keyFiles, keysDir } from './key.ts'
import type { ZoneState } from './state.ts'

export type { DnsState, ServedZones, ZoneState } from './state.ts'

// Below /etc/bind, which Debian's AppArmor profile lets named read.
const plainDir = 'etc/bind/panel/zones'
/** Writable by named, which keeps the signed version beside a zone that it signs. */
const signedDir = 'var/lib/bind/panel/zones'

const pathOf = ({ name, dnssec }: ZoneState): string => `${dnssec ? signedDir : plainDir}/${name}.zone`

type ZoneOwner = Pick<AccountCore, 'id' | 'username'>

function zoneFile(core: ZoneOwner, zone: ZoneState): FileSpec {
  const { records, challenges, dnssec: _, ...authority } = zone
  return systemFile(pathOf(zone), 0o644, [ownerLine(';', core), ...zoneLines(authority, records, challenges)], 'bind')
}

function entry(zone: ZoneState): string {
  const signing = zone.dnssec
    ? ` dnssec-policy panel; inline-signing yes; key-directory "/${keysDir}/${zone.name}";`
    : ''
  return `zone "${zone.name}" { type primary; file "/${pathOf(zone)}";${signing} };`
}

const policy = systemFile(
  'etc/bind/panel/dnssec-policy.conf',
  0o644,
  [
    'dnssec-policy "panel" {',
    '  keys { csk lifetime unlimited algorithm ecdsap256sha256; };',
    '  max-zone-ttl 86400;',
    '};',
  ],
  'bind',
)

/** An owner's zones, and their lines in named's list. */
export function zoneFiles(core: ZoneOwner, zones: readonly ZoneState[]): Rendered {
  const sorted = zones.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const signed = sorted.flatMap((zone) => (zone.dnssec ? [{ zone, key: zone.dnssec }] : []))
  const list = systemFile(`etc/bind/panel/zones.d/${core.username}`, 0o644, sorted.map(entry), 'bind')
  return {
    dirs: signed.map(({ zone }) => ({ ...systemDir(`${keysDir}/${zone.name}`, 0o770, 'bind'), border: false })),
    files: [
      ...sorted.map((zone) => zoneFile(core, zone)),
      ...signed.flatMap(({ zone, key }) => keyFiles(zone, key)),
      ...(sorted.length > 0 ? [list] : []),
    ],
  }
}

/** The account's zones, and their lines in named's list. A suspended account's zones stay. */
export const dns = part({
  name: 'dns',
  dirs: [
    ...['etc/bind/panel', 'var/lib/bind', 'var/lib/bind/panel'].map((path) => systemDir(path, 0o755)),
    // The files are for all to read, so that differences can show them; these folders are for root and named alone.
    ...[plainDir, 'etc/bind/panel/zones.d'].map((path) => systemDir(path, 0o750, 'bind')),
    systemDir(signedDir, 0o770, 'bind'),
    systemDir(keysDir, 0o755),
  ],
  files: [policy],
  check: checkDns,
  render: (core, { zones }) => zoneFiles(core, zones),
})
