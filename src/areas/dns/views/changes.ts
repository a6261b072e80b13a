import type { Answered } from '../../../web/kit/screen.ts'
import { fields, fieldsOf, type RecordFields } from './record-fields.ts'

/** A record that is to change: as it was when that was chosen, and what of it is to differ. */
export interface Changed {
  readonly id: string
  readonly was: RecordFields
  readonly change: RecordFields
}

/** Changes of a zone that are not saved yet. */
export interface RecordChanges {
  readonly serial: string
  readonly deletes: readonly Changed[]
  readonly updates: readonly Changed[]
  readonly creates: readonly RecordFields[]
}

type Pairs = [string, string][]

/** As fields of the form of `changeDnsRecords`, and `was.<id>` beside them. */
export function pairsOf({ serial, deletes, updates, creates }: RecordChanges): Pairs {
  return [
    ['serial', serial],
    ...deletes.map(({ id }): [string, string] => ['delete', id]),
    ...updates.flatMap(({ id, change }, at) => rowPairs(`update.${at}`, { id, ...change })),
    ...creates.flatMap((output, at) => rowPairs(`create.${at}`, output)),
    ...[...deletes, ...updates].flatMap(
      ({ id, was }): Pairs => (Object.keys(was).length === 0 ? [] : [[`was.${id}`, JSON.stringify(was)]]),
    ),
  ]
}

/** An empty TTL is the zone's. */
const rowPairs = (row: string, output: RecordFields): Pairs =>
  Object.entries(output).map(([name, value]) =>
    name === 'ttl' && value === '' ? [`none.${row}.ttl`, 'true'] : [`${row}.${name}`, value],
  )

export function changesIn(form: URLSearchParams): RecordChanges {
  const deletes = form.getAll('delete').flatMap((ids) => ids.split(/\s+/).filter((id) => id !== ''))
  return {
    serial: form.get('serial') ?? '',
    deletes: deletes.map((id) => ({ id, was: wasIn(form, id), change: {} })),
    updates: rowsIn(form, 'update').map(({ id = '', ...change }) => ({ id, was: wasIn(form, id), change })),
    creates: rowsIn(form, 'create'),
  }
}

function rowsIn(form: URLSearchParams, list: string): RecordFields[] {
  const rows = new Map<number, Record<string, string>>()
  for (const [key, value] of form) {
    const [, none, at, name] = new RegExp(`^(none\\.)?${list}\\.(\\d{1,3})\\.(\\w+)$`).exec(key) ?? []
    if (at === undefined || name === undefined) continue
    const row = rows.get(Number(at)) ?? {}
    row[name] = none ? '' : value
    rows.set(Number(at), row)
  }
  return [...rows].sort(([one], [other]) => one - other).map(([, row]) => row)
}

const wasIn = (form: URLSearchParams, id: string): RecordFields => fieldsIn(form.get(`was.${id}`))

/** A record that the form holds as JSON; an empty one where it holds none. */
export function fieldsIn(text: string | null): RecordFields {
  try {
    return fieldsOf(JSON.parse(text ?? '{}') ?? {})
  } catch {
    return {}
  }
}

/** What takes back what was saved, at the serial that saving it made. */
export function undoing(form: URLSearchParams, { zone, created }: Answered): URLSearchParams | undefined {
  const { deletes, updates } = changesIn(form)
  if ([...deletes, ...updates].some(({ was }) => was['name'] === undefined)) return undefined
  const back = {
    serial: String(zone.serial),
    deletes: created.map(({ id }: Answered) => ({ id, was: {}, change: {} })),
    updates: updates.map(({ id, was, change }) => ({ id, was: {}, change: backOf(was, change) })),
    creates: deletes.map(({ was }) => was),
  }
  return new URLSearchParams(pairsOf(back))
}

const backOf = (was: RecordFields, change: RecordFields): RecordFields =>
  Object.fromEntries(
    fields.filter((name) => name in change && (name === 'ttl' || name in was)).map((name) => [name, was[name] ?? '']),
  )
