import type * as declared from '../../contract/dns.ts'
import { longestZoneFile } from '../../contract/dns.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import type { Handler } from '../../runtime/run.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { changeZone, judge, type Told, touchedBy, type Wanted } from './change.ts'
import { type Fault, judged } from './fault.ts'
import { near } from './near.ts'
import { recordOf } from './rules.ts'
import { recordsOf, saidBy, toRecord, toZone } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'
import { carry, maxRecords } from './write.ts'
import { FileFault } from './zone-file/fault.ts'
import { type FileRecord, parseZoneFile, type ZoneFile } from './zone-file/parse.ts'
import { keyOf } from './zone-index.ts'

type Body = Input<typeof declared.importDnsZone>['body']

const maxChanged = 2_000

const atLine = (line: number, message: string) => invalid('zone_file', `line ${line}: ${message}`)

function read(text: string, zone: string): ZoneFile {
  if (Buffer.byteLength(text) > longestZoneFile) throw invalid('zone_file', 'must be at most 8 MiB')
  try {
    return parseZoneFile(text, zone)
  } catch (error) {
    if (error instanceof FileFault) throw invalid('zone_file', error.message)
    throw error
  }
}

interface Read extends Wanted {
  readonly line: number
  readonly key: string
}

/** Validates a record of the file by its type; a TTL equal to the zone's is omitted. */
function wantedOf({ line, record: given }: FileRecord, zone: ZoneRow, ttl: number | undefined): Read {
  const said = ttl ?? given.ttl ?? undefined
  const own = said === zone.ttl ? null : said
  const record = judged(
    () => recordOf({ ...given, ttl: own }, zone.name),
    ({ field, message }) => atLine(line, `${field}: ${message}`),
  )
  return { line, record, ttl: own, key: keyOf(record) }
}

interface Matched {
  readonly creates: readonly Read[]
  readonly deletes: readonly RecordRow[]
  readonly unchanged: number
  /** The line of each record in the file, new or not. */
  readonly lines: ReadonlyMap<string, number>
}

const ttlFits = (row: RecordRow, { ttl }: Wanted, zone: ZoneRow): boolean =>
  ttl === undefined || (ttl ?? zone.ttl) === (row.ttl ?? zone.ttl)

/** Splits the file's records into existing and new ones. */
function match(reads: readonly Read[], there: readonly RecordRow[], zone: ZoneRow, mode: Body['mode']): Matched {
  const rows = new Map(there.map((row) => [keyOf(saidBy(row)), row]))
  const lines = new Map<string, number>()
  const kept = new Set<string>()
  const creates: Read[] = []
  for (const one of reads) {
    if (lines.has(one.key)) continue
    lines.set(one.key, one.line)
    const row = rows.get(one.key)
    if (row && ttlFits(row, one, zone)) kept.add(row.id)
    else if (row && mode === 'merge') throw atLine(one.line, 'ttl: the record is there with another TTL')
    else creates.push(one)
  }
  const deletes = mode === 'replace' ? there.filter(({ id }) => !kept.has(id)) : []
  return { creates, deletes, unchanged: kept.size, lines }
}

function refuseTooMany({ creates, deletes }: Matched): void {
  const count = creates.length + deletes.length
  if (count <= maxChanged) return
  const what = `${creates.length} to create and ${deletes.length} to delete`
  throw new Problem('too-many', `An import changes at most ${maxChanged} records; this one has ${what}.`)
}

/** The edit that replaces a zone's records by a file's. */
export function editOf(text: string, zone: ZoneRow, there: readonly RecordRow[]) {
  const file = read(text, zone.name)
  const reads = file.records.map((one) => wantedOf(one, zone, undefined))
  const { deletes, creates } = match(reads, there, zone, 'replace')
  return { edit: { deletes, updates: [], creates } }
}

/** Parses a zone file and plans the import. */
function planOf(ctx: Pick<Context, 'db'>, zone: ZoneRow, { zone_file, mode, ttl }: Omit<Body, 'serial'>) {
  const file = read(zone_file, zone.name)
  const reads = file.records.map((one) => wantedOf(one, zone, ttl))
  const matched = match(reads, recordsOf(ctx.db, zone.id), zone, mode)
  if (matched.creates.length > maxRecords) refuseTooMany(matched)
  const edit = { deletes: matched.deletes, updates: [], creates: matched.creates }
  return { skipped: [...file.skipped], matched, edit, told: tellLine(matched.lines) }
}

export const importDnsZone: Handler<typeof declared.importDnsZone> = {
  handle(ctx, { body: { serial, ...body } }) {
    const { account, zone } = ctx.found
    const { matched, skipped, edit, told } = planOf(ctx, zone, body)
    const guard = { serial, told, refuse: () => refuseTooMany(matched) }
    const changed = changeZone(ctx, account, zone, edit, guard)
    const counts = { created: changed.created.length, deleted: changed.deleted.length }
    ctx.note({ account, object_id: zone.id, after: { mode: body.mode, ...counts } })
    return {
      zone: toZone(ctx, changed.zone),
      ...counts,
      unchanged: matched.unchanged,
      skipped,
      job_id: carry(ctx, account, zone),
    }
  },
}

export const compareDnsZone: Handler<typeof declared.compareDnsZone> = {
  handle(ctx, { body: { zone_file } }) {
    const { account, zone } = ctx.found
    const { matched, skipped, edit, told } = planOf(ctx, zone, { zone_file, mode: 'replace' })
    const { planned, finding } = judge(zone, edit, near(ctx.db, zone, touchedBy(edit)))
    if (finding) throw told(finding.fault, undefined, finding.record)
    refuseTooMany(matched)
    ctx.note({ account, object_id: zone.id })
    return {
      serial: zone.serial,
      created: planned.creates.map((record) => ({ ...record })),
      deleted: matched.deletes.map(toRecord),
      unchanged: matched.unchanged,
      skipped,
    }
  },
}

/** Reports a broken rule at its line or, if none is at fault, for the whole file. */
const tellLine =
  (lines: ReadonlyMap<string, number>): Told =>
  (fault: Fault, _place, record: ZoneRecord) => {
    const line = lines.get(keyOf(record))
    const what = `${record.name} ${record.type}: ${fault.field}: ${fault.message}`
    return line === undefined ? invalid('zone_file', what) : atLine(line, what)
  }
