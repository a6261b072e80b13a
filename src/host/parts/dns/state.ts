import type { Authority, ZoneRecord } from '../../../shared/zone/record.ts'
import type { Challenge } from '../../../shared/zone/text.ts'

/** A zone's signing key. */
export interface ZoneKeyState {
  /** Its DNSKEY record's data. */
  readonly dnskey: string
  readonly keyTag: number
  /** The private number, in base64. */
  readonly privateKey: string
  /** Its creation time in BIND's format: YYYYMMDDHHMMSS. */
  readonly created: string
}

export interface ZoneState extends Authority {
  readonly records: readonly ZoneRecord[]
  /** ACME challenges: text records that prove control of a name. */
  readonly challenges: readonly Challenge[]
  readonly dnssec?: ZoneKeyState | undefined
}

export interface DnsState {
  readonly zones: readonly ZoneState[]
}

/** Zones of an account on another host, which this one serves too. */
export interface ServedZones {
  /** The account's id. */
  readonly id: string
  readonly zones: readonly ZoneState[]
}
