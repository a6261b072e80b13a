import { Readable } from 'node:stream'
import type { DumpExport, DumpExported } from '../contract/commands/dumps.ts'
import type { Doing } from '../contract/commands/index.ts'
import type { Sink } from '../contract/driver.ts'
import { compress, through } from '../homes/archive/compress.ts'
import type { DumpPlaces } from './places.ts'
import { storedDump } from './stored-dump.ts'

/** The most that an export may have: as much as an upload. */
const MAX_EXPORT_BYTES = 20 * 1024 ** 3
const REPORT_EVERY_BYTES = 64 * 1024 ** 2

/** Dumps a database into its account's home, with nothing of this server: no definers, and no other names. */
export async function exportDatabase(places: DumpPlaces, request: DumpExport, options: Doing): Promise<DumpExported> {
  const { bytes, warnings } = dumpOf(places, request, options)
  const sink = await sinkOf(places, request)
  try {
    const packed =
      request.compression === 'none' ? bytes : through(bytes, compress(request.compression, options.signal))
    const size = await sink.receive(Readable.from(packed, { objectMode: false }))
    options.signal?.throwIfAborted()
    await sink.commit()
    return { bytes: size, warnings: warnings().slice(0, MAX_WARNINGS) }
  } catch (error) {
    await sink.discard().catch(() => {})
    throw error
  }
}

const MAX_WARNINGS = 100

function dumpOf({ databases, root }: DumpPlaces, { database }: DumpExport, { signal, progress }: Doing) {
  if (!databases?.isThere()) return { bytes: storedDump(root, database), warnings: () => [] }
  const dump = databases.dump(database, signal, { forOthers: true })
  return { bytes: watched(dump.bytes, progress), warnings: () => dump.result().warnings }
}

async function* watched(bytes: AsyncIterable<Buffer>, progress: Doing['progress']): AsyncGenerator<Buffer> {
  let [done, reported] = [0, 0]
  for await (const piece of bytes) {
    yield piece
    done += piece.length
    if (done - reported < REPORT_EVERY_BYTES) continue
    reported = done
    progress?.(`${Math.floor(done / 1024 ** 2)} MB of statements`, done / (done + REPORT_EVERY_BYTES))
  }
}

function sinkOf({ homes }: DumpPlaces, { account, id, to, room, inodes }: DumpExport): Promise<Sink<unknown>> {
  const files = homes.files(account)
  const bounds = { ...(room !== undefined && { room }), ...(inodes !== undefined && { inodes }) }
  if (!to) return files.append({ id, offset: 0, size: MAX_EXPORT_BYTES, ...bounds })
  const { path, overwrite } = to
  return files.write({
    path,
    mode: '0600',
    maxBytes: MAX_EXPORT_BYTES,
    ...(!overwrite && { ifAbsent: true }),
    ...bounds,
  })
}
