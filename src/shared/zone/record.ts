export const recordTypes = [
  'A',
  'AAAA',
  'CAA',
  'CNAME',
  'DNAME',
  'DS',
  'HTTPS',
  'LOC',
  'MX',
  'NAPTR',
  'NS',
  'OPENPGPKEY',
  'PTR',
  'SMIMEA',
  'SRV',
  'SSHFP',
  'SVCB',
  'TLSA',
  'TXT',
  'URI',
] as const
export type RecordType = (typeof recordTypes)[number]

/** A record's data. Host names are absolute, without the final dot. */
export interface RecordData {
  readonly type: RecordType
  readonly value: string
  readonly priority?: number | undefined
  readonly weight?: number | undefined
  readonly port?: number | undefined
  readonly flags?: number | undefined
  readonly tag?: string | undefined
}

/** A zone's record. `name` is relative to the zone, `@` is the zone itself; the default TTL is the zone's. */
export interface ZoneRecord extends RecordData {
  readonly name: string
  readonly ttl?: number | undefined
}

/** The fields of a zone's SOA. */
export interface Authority {
  readonly name: string
  readonly serial: number
  readonly ttl: number
  readonly refresh: number
  readonly retry: number
  readonly expire: number
  readonly minimum: number
  readonly nameservers: readonly string[]
}
