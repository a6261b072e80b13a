import type { Steps } from '../../runtime/operations/slices.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import type { Db } from '../../store/open.ts'
import { type Edit, touchedBy } from './change.ts'
import { isAddress } from './managed.ts'
import { outputOf, recordsUnder } from './store.ts'
import type { RecordRow } from './tables.ts'
import { discoveryNames, discoveryServiceName } from './template.ts'
import { policyOf } from './validate-zone.ts'
import { keyOf } from './zone-index.ts'

/** Whether a record of the caller's has the purpose of one that the panel made at the same name. */
export function isAboutSame(record: ZoneRecord, own: ZoneRecord): boolean {
  if (record.type === 'CNAME') return true
  if (isAddress(record)) return isAddress(own)
  if (record.type !== own.type) return false
  if (record.type !== 'TXT' || keyOf(record) === keyOf(own)) return true
  return policyOf(record) !== undefined && policyOf(record) === policyOf(own)
}

/** Names by which mail programs find settings. */
const discovered: readonly string[] = [...discoveryNames, discoveryServiceName]

const isAboutDiscovery = (edit: Edit): boolean =>
  touchedBy(edit).some(({ name }) => discovered.includes(name.toLowerCase()))

/**
 * What the panel made for mail programs and an edit leaves no place for: a name that the caller uses itself, and the
 * service whose host loses its address. An equal record does not give way: it is reported as there already.
 */
export function displacedBy(rows: readonly RecordRow[], edit: Edit): RecordRow[] {
  if (!isAboutDiscovery(edit)) return []
  const changed = new Set([...edit.deletes, ...edit.updates.map(({ row }) => row)].map(({ id }) => id))
  const left = rows.filter(({ id, name }) => discovered.includes(name) && !changed.has(id))
  const written = [...edit.updates, ...edit.creates].map(({ record }) => record)
  const replaced = left.filter((row) => row.managed && written.some((record) => replaces(record, outputOf(row))))
  const staying = left.filter((row) => !replaced.includes(row))
  const isServed = [...staying, ...written].some((one) => one.name === 'autodiscover' && isAddress(one))
  return isServed
    ? replaced
    : [...replaced, ...staying.filter((row) => row.managed && row.name === discoveryServiceName)]
}

/** The edit with the deletion of what gives way to it. */
export function* withRoom(db: Db, zone: string, edit: Edit): Steps<Edit> {
  if (!isAboutDiscovery(edit)) return edit
  const rows = yield* recordsUnder(db, zone, [...discoveryNames, '_tcp'])
  return { ...edit, deletes: [...edit.deletes, ...displacedBy(rows, edit)] }
}

const replaces = (record: ZoneRecord, own: ZoneRecord): boolean =>
  record.name === own.name && isAboutSame(record, own) && keyOf(record) !== keyOf(own)
