import { dataText } from '../../shared/zone/data.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'

/** What a record is, apart from its TTL: two of one key are the same record. */
export const keyOf = (record: ZoneRecord): string => {
  const data = dataText(record)
  return `${record.name} ${record.type} ${hexed.has(record.type) ? data.toLowerCase() : data}`
}

const hexed = new Set(['DS', 'SSHFP', 'TLSA'])

export const setOf = ({ name, type }: Pick<ZoneRecord, 'name' | 'type'>): string => `${name} ${type}`

/** The name above, relative to the zone; `@` above the first label. */
const above = (name: string): string | undefined => {
  if (name === '@') return undefined
  const dot = name.indexOf('.')
  return dot < 0 ? '@' : name.slice(dot + 1)
}

/** The records of a zone by name, as a name server would look them up. */
export class ZoneIndex<R extends ZoneRecord = ZoneRecord> {
  readonly byName: ReadonlyMap<string, readonly R[]>
  /** Names that exist, be it only because something is below them. */
  readonly #existing = new Set<string>(['@'])

  constructor(records: Iterable<R>) {
    const byName = new Map<string, R[]>()
    for (const record of records) {
      const there = byName.get(record.name)
      if (there) there.push(record)
      else byName.set(record.name, [record])
    }
    this.byName = byName
    for (const name of byName.keys()) this.#exists(name)
  }

  #exists(name: string): void {
    for (let at: string | undefined = name; at !== undefined && !this.#existing.has(at); at = above(at))
      this.#existing.add(at)
  }

  at(name: string): readonly R[] {
    return this.byName.get(name) ?? []
  }

  /** The name at or above this one where the zone hands over to other name servers. */
  cut(name: string): string | undefined {
    for (let at: string | undefined = name; at !== undefined && at !== '@'; at = above(at))
      if (this.at(at).some(({ type }) => type === 'NS')) return at
    return undefined
  }

  /** What answers for a name: its own records, or those of the wildcard that covers it. */
  answering(name: string): readonly R[] {
    if (this.#existing.has(name)) return this.at(name)
    for (let at = above(name); at !== undefined; at = above(at))
      if (this.#existing.has(at)) return this.at(at === '@' ? '*' : `*.${at}`)
    return []
  }
}
