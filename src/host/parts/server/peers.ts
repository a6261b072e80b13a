import { createHash } from 'node:crypto'
import { MAX_HOSTNAME_LENGTH } from '../../../shared/patterns.ts'
import { catalogZone, tsigAlgorithm, tsigName } from '../../../shared/zone/catalog.ts'
import { complete, fields, ipAddress, listOf, objectOf, patterns, text } from '../../contract/fields.ts'
import { type FileSpec, systemFile } from '../spec.ts'

/** Another party's name server, which replicates all zones. */
export interface DnsPeerState {
  readonly name: string
  readonly addresses: readonly string[]
  /** In base64. */
  readonly secret: string
}

/** Zones by name, as peers receive them. */
export interface CatalogState {
  readonly number: number
  readonly serial: number
  readonly zones: readonly string[]
}

export interface PeersState {
  readonly peers: readonly DnsPeerState[]
  readonly catalogs: readonly CatalogState[]
}

/** A fleet node has the prefix `node_`. */
export const peerName = text(/^(?:node_)?[a-z][a-z0-9-]{0,30}$/)
export const peerSecret = text(/^[A-Za-z0-9+/]{43}=$/)

const peer = objectOf<DnsPeerState>(
  { name: peerName, addresses: listOf(ipAddress, 8), secret: peerSecret },
  'a DNS peer',
)

const catalog = objectOf<CatalogState>(
  {
    number: complete(1, 1_000),
    serial: complete(1, 2 ** 32 - 1),
    zones: listOf(text(patterns.domain, MAX_HOSTNAME_LENGTH), 10_000),
  },
  'a catalog',
)

export const checkPeers = fields<PeersState>(
  { peers: listOf(peer, 1_000), catalogs: listOf(catalog, 1_000) },
  'the DNS peers',
)

export const folder = 'etc/bind/panel'
const label = (name: string): string => createHash('sha1').update(name).digest('hex')

const zonePath = (number: number): string => `${folder}/zones/${catalogZone(number)}.zone`

/** RFC 9432: members with unique labels; beyond that only a serial and times. */
const catalogFile = ({ number, serial, zones }: CatalogState): FileSpec =>
  systemFile(
    zonePath(number),
    0o640,
    [
      `$ORIGIN ${catalogZone(number)}.`,
      '$TTL 0',
      `@ IN SOA invalid. invalid. ${serial} 60 10 2419200 0`,
      '@ IN NS invalid.',
      'version IN TXT "2"',
      ...zones.map((name) => `${label(name)}.zones IN PTR ${name}.`),
    ],
    'bind',
  )

const keys = (peers: readonly DnsPeerState[]): string => peers.map(({ name }) => `key "${tsigName(name)}";`).join(' ')

const keyLine = ({ name, secret }: DnsPeerState): string =>
  `key "${tsigName(name)}" { algorithm ${tsigAlgorithm}; secret "${secret}"; };`

/** The catalog requested identifies a peer that wants all zones: by its key only. */
const entry = (peers: readonly DnsPeerState[], { number }: CatalogState): string =>
  `zone "${catalogZone(number)}" { type primary; file "/${zonePath(number)}"; allow-query { ${keys(peers)} }; };`

export const noTransfer = ['allow-transfer { none; };'] as const

function transfer(peers: readonly DnsPeerState[]): readonly string[] {
  if (peers.length === 0) return noTransfer
  const addressed = peers.flatMap(({ name, addresses }) =>
    addresses.map((address) => `${address} key "${tsigName(name)}";`),
  )
  return [
    `allow-transfer { ${keys(peers)} };`,
    ...(addressed.length > 0 ? [`also-notify { ${addressed.join(' ')} };`] : []),
    'notify explicit;',
    'notify-delay 0;',
  ]
}

const noPeers: PeersState = { peers: [], catalogs: [] }

/** Allows zone transfers in named's options, and the catalogs that list the zones. */
export function peerFiles({ peers, catalogs }: PeersState = noPeers): readonly FileSpec[] {
  const rules = systemFile(`${folder}/transfer.conf`, 0o644, transfer(peers), 'bind')
  if (peers.length === 0) return [rules]
  const lines = [...peers.map(keyLine), ...catalogs.map((one) => entry(peers, one))]
  return [rules, systemFile(`${folder}/zones.d/_peers`, 0o640, lines, 'bind'), ...catalogs.map(catalogFile)]
}
