import type { Authority, ZoneRecord } from '../../../shared/zone/record.ts'
import type { Challenge } from '../../../shared/zone/text.ts'

/** The key that a zone is signed with. */
export interface ZoneKeyState {
  /** Data of its DNSKEY record. */
  readonly dnskey: string
  readonly keyTag: number
  /** The number that makes the private key, in base64. */
  readonly privateKey: string
  /** When it was made, as BIND writes it: YYYYMMDDHHMMSS. */
  readonly created: string
}

export interface ZoneState extends Authority {
  readonly records: readonly ZoneRecord[]
  /** Texts that prove to a certificate authority whose the name is. */
  readonly challenges: readonly Challenge[]
  readonly dnssec?: ZoneKeyState | undefined
}

export interface DnsState {
  readonly zones: readonly ZoneState[]
}

/** Zones of an account of another host, which this one answers for besides. */
export interface ServedZones {
  /** The account's. */
  readonly id: string
  readonly zones: readonly ZoneState[]
}
