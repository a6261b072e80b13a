import type { FileSpec } from '../spec.ts'
import type { ZoneKeyState, ZoneState } from './state.ts'

export const keysDir = 'var/lib/bind/panel/keys'

const publicLines = (zone: string, { dnskey, created, keyTag }: ZoneKeyState): string[] => [
  `; This is a key-signing key, keyid ${keyTag}, for ${zone}.`,
  `; Created: ${created}`,
  `; Publish: ${created}`,
  `; Activate: ${created}`,
  `; SyncPublish: ${created}`,
  `${zone}. 3600 IN DNSKEY ${dnskey}`,
]

const privateLines = (_zone: string, { privateKey, created }: ZoneKeyState): string[] => [
  'Private-key-format: v1.3',
  'Algorithm: 13 (ECDSAP256SHA256)',
  `PrivateKey: ${privateKey}`,
  `Created: ${created}`,
  `Publish: ${created}`,
  `Activate: ${created}`,
  `SyncPublish: ${created}`,
]

/** Without its state BIND would retire the key and generate another, and the DS would be wrong. */
const stateLines = (zone: string, { keyTag, created }: ZoneKeyState): string[] => [
  `; This is the state of key ${keyTag}, for ${zone}.`,
  'Algorithm: 13',
  'Length: 256',
  'Lifetime: 0',
  'KSK: yes',
  'ZSK: yes',
  `Generated: ${created}`,
  `Published: ${created}`,
  `Active: ${created}`,
  `PublishCDS: ${created}`,
  `DNSKEYChange: ${created}`,
  `ZRRSIGChange: ${created}`,
  `KRRSIGChange: ${created}`,
  `DSChange: ${created}`,
  'DNSKEYState: omnipresent',
  'ZRRSIGState: omnipresent',
  'KRRSIGState: omnipresent',
  'DSState: rumoured',
  'GoalState: omnipresent',
]

const kinds = { key: publicLines, private: privateLines, state: stateLines }

/** A zone's key in BIND's format: written once, then managed by named. */
export function keyFiles({ name }: ZoneState, key: ZoneKeyState): FileSpec[] {
  const stem = `${keysDir}/${name}/K${name}.+013+${String(key.keyTag).padStart(5, '0')}`
  return Object.entries(kinds).map(([ending, lines]) => ({
    path: `${stem}.${ending}`,
    content: `${lines(name, key).join('\n')}\n`,
    mode: 0o660,
    uid: 'root',
    gid: 'bind',
    seed: true,
  }))
}
