import type { Steps } from '../../runtime/operations/slices.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import type { Db } from '../../store/open.ts'
import { isWithin, relative } from './names.ts'
import { pointersOf, recordsUnder } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'
import { isPointer, ownServers } from './validate-zone.ts'

/** The part of a zone needed to judge a change. */
export interface Near {
  readonly records: readonly RecordRow[]
  /** Whether the change can invalidate a record; records included only as context may lack their own dependencies. */
  readonly isChecked: (record: ZoneRecord) => boolean
}

/** The label below the zone's name: names with different ones cannot hide or answer for each other. */
const topOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

type Pointer = Pick<ZoneRecord, 'name' | 'value'>

/** The records that a change can invalidate, and what they depend on. */
export function* near(db: Db, zone: ZoneRow, changed: readonly ZoneRecord[]): Steps<Near> {
  const tops = new Set(changed.map(({ name }) => topOf(name)))
  const targetOf = ({ value }: Pointer) => (isWithin(value, zone.name) ? topOf(relative(value, zone.name)) : '@')
  const touched = (pointer: Pointer) => tops.has('*') || tops.has(topOf(pointer.name)) || tops.has(targetOf(pointer))
  const pointers = [...pointersOf(db, zone.id), ...ownServers(zone)].filter(touched)
  const targets = [...pointers, ...changed.filter(isPointer)].map(targetOf)
  const needed = new Set([...tops, ...pointers.map(({ name }) => topOf(name)), ...targets, '@', '*'])
  const pointing = new Set(pointers.map(({ name, value }) => `${name} ${value}`))
  yield
  return {
    records: yield* recordsUnder(db, zone.id, [...needed]),
    isChecked: ({ name, value }) => tops.has(topOf(name)) || pointing.has(`${name} ${value}`),
  }
}
