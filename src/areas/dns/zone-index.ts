import { dataText } from '../../shared/zone/data.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'

/** A record's identity, apart from its TTL. */
export const keyOf = (record: ZoneRecord): string => {
  const data = dataText(record)
  return `${setOf(record)} ${anyCase.has(record.type) ? data.toLowerCase() : data}`
}

const anyCase = new Set(['DS', 'PTR', 'SMIMEA', 'SSHFP', 'TLSA'])

/** Names with escapes keep their case, which means nothing. */
export const setOf = ({ name, type }: Pick<ZoneRecord, 'name' | 'type'>): string => `${name.toLowerCase()} ${type}`

/** The parent name, relative to the zone; `@` above the first label. */
const above = (name: string): string | undefined => {
  if (name === '@') return undefined
  const dot = name.indexOf('.')
  return dot < 0 ? '@' : name.slice(dot + 1)
}

/** A zone's records by name, looked up as a name server would. */
export class ZoneIndex<R extends ZoneRecord = ZoneRecord> {
  readonly byName: ReadonlyMap<string, readonly R[]>
  /** Existing names, including those with only something below them. */
  readonly #existing = new Set<string>(['@'])

  constructor(records: Iterable<R>) {
    const byName = new Map<string, R[]>()
    for (const record of records) {
      const name = record.name.toLowerCase()
      const there = byName.get(name)
      if (there) there.push(record)
      else byName.set(name, [record])
    }
    this.byName = byName
    for (const name of byName.keys()) this.#exists(name)
  }

  #exists(name: string): void {
    for (let at: string | undefined = name; at !== undefined && !this.#existing.has(at); at = above(at))
      this.#existing.add(at)
  }

  at(name: string): readonly R[] {
    return this.byName.get(name.toLowerCase()) ?? []
  }

  /** The delegation at or above a name. */
  cut(name: string): string | undefined {
    for (let at: string | undefined = name; at !== undefined && at !== '@'; at = above(at))
      if (this.at(at).some(({ type }) => type === 'NS')) return at
    return undefined
  }

  /** The records that answer for a name: its own, or those of a matching wildcard. */
  answering(name: string): readonly R[] {
    if (this.#existing.has(name)) return this.at(name)
    for (let at = above(name); at !== undefined; at = above(at))
      if (this.#existing.has(at)) return this.at(at === '@' ? '*' : `*.${at}`)
    return []
  }
}
