import { randomInt } from 'node:crypto'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupTrial, TrialFindings } from '../contract/commands/backups.ts'
import type { Doing } from '../contract/commands/index.ts'
import { FileError, HostError } from '../contract/error.ts'
import { decompress, through } from '../homes/archive/compress.ts'
import type { ReadEntry } from '../homes/archive/entry.ts'
import { tarEntries } from '../homes/archive/tar-read.ts'
import { Unpacker } from '../homes/archive/unpack.ts'
import { Directory, holding } from '../homes/home/directory.ts'
import { isMachineError } from '../install/user-message.ts'
import { isDamage, problemsOf, readManifest, verified } from './check.ts'
import type { SavedDatabases } from './databases.ts'
import type { BackupManifest, ManifestEntry } from './manifest.ts'
import { databaseIn, partOf } from './part-of.ts'
import type { BackupReader } from './reader.ts'
import { type Roots, readerAt } from './readers.ts'
import type { Bytes } from './write.ts'

const folder = 'var/lib/panel-host/trials'

export const trialFolder = (host: string): string => join(host, folder)

/** Of one backup, unpacked. What is larger than what is left of it is not tried. */
const MAX_TRIAL_BYTES = 4 * 1024 ** 3
const MAX_TRIAL_DATABASES = 5
const MAX_TRIAL_ENTRIES = 200_000
const TRIAL_TIMEOUT_MS = 30 * 60_000
/** For entries of backups that do not say how large they are unpacked. */
const ASSUMED_RATIO = 10

export interface TrialLimits {
  readonly bytes: number
  readonly databases: number
  readonly entries: number
  readonly timeoutMs: number
}

export const trialLimits: TrialLimits = {
  bytes: MAX_TRIAL_BYTES,
  databases: MAX_TRIAL_DATABASES,
  entries: MAX_TRIAL_ENTRIES,
  timeoutMs: TRIAL_TIMEOUT_MS,
}

interface Trial {
  readonly roots: Roots
  readonly server: SavedDatabases | undefined
  readonly request: BackupTrial
  readonly limits: TrialLimits
  readonly signal: AbortSignal
}

/** More than the limits allow: the backup may be good. */
class TooMuch extends Error {}

/**
 * Restores a sample of a backup: archives into a directory that only this process may enter, dumps into a database of
 * their own. Both are removed afterwards. Faults of this machine are errors, not damage.
 */
export async function tryBackup(
  roots: Roots,
  server: SavedDatabases | undefined,
  request: BackupTrial,
  { signal, progress }: Doing,
  limits: TrialLimits = trialLimits,
): Promise<TrialFindings> {
  const timeout = AbortSignal.timeout(limits.timeoutMs)
  const both = signal ? AbortSignal.any([signal, timeout]) : timeout
  const trial: Trial = { roots, server, request, limits, signal: both }
  const reader = await readerAt(roots, request.place, both)
  const manifest = await readManifest(reader, request.manifestSha256)
  if (typeof manifest === 'string') return { damage: [manifest], tried: [], left: [] }
  const { chosen, left } = await sampleOf(manifest, trial)
  const damage: string[] = []
  const tried: string[] = []
  for (const [at, entry] of chosen.entries()) {
    try {
      damage.push(...(await errorsIn(entry, manifest, reader, trial)))
      tried.push(entry.name)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof TooMuch) left.push(`${entry.name}: ${error.message}`)
      else if (timeout.aborted) left.push(`${entry.name}: not finished within ${limits.timeoutMs / 60_000} minutes`)
      else throw error
    }
    progress?.(`${entry.name} was tried`, (at + 1) / chosen.length)
  }
  return { damage, tried, left }
}

/** Archives and dumps in random order, as far as the limits allow. */
async function sampleOf({ entries }: BackupManifest, { roots, limits, server }: Trial) {
  const left: string[] = []
  const chosen: ManifestEntry[] = []
  let bytes = Math.min(limits.bytes, (await freeAt(roots.host)) / 2)
  let databases = server?.isThere() ? limits.databases : 0
  for (const entry of shuffled(entries.filter(isTried))) {
    const isDump = partOf(entry.name) === 'mysql'
    if (isDump && databases === 0) continue
    if (contentOf(entry) > bytes) left.push(`${entry.name}: too large to be tried`)
    else {
      chosen.push(entry)
      bytes -= contentOf(entry)
      if (isDump) databases--
    }
  }
  return { chosen, left }
}

const isTried = ({ name }: ManifestEntry): boolean => ['files', 'mail', 'mysql'].includes(partOf(name))

const contentOf = ({ bytes, content_bytes = bytes * ASSUMED_RATIO }: ManifestEntry): number => content_bytes

function shuffled<T>(items: readonly T[]): T[] {
  const all = [...items]
  for (let at = all.length - 1; at > 0; at--) {
    const other = randomInt(at + 1)
    ;[all[at], all[other]] = [all[other]!, all[at]!]
  }
  return all
}

async function freeAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/** Checksums first: what is unpacked is what was saved. */
async function errorsIn(
  entry: ManifestEntry,
  manifest: BackupManifest,
  reader: BackupReader,
  trial: Trial,
): Promise<string[]> {
  const changed = await problemsOf(reader, entry, trial.signal)
  if (changed.length > 0) return changed
  const content = (): Bytes => through(verified(reader, entry), decompress(manifest.compression, trial.signal))
  try {
    await (partOf(entry.name) === 'mysql' ? load(entry, content, trial) : unpack(content(), trial))
    return []
  } catch (error) {
    if (trial.signal.aborted || isOfMachine(error)) throw error
    return [`${entry.name} cannot be restored: ${(error as Error).message}`]
  }
}

/** What the backup is not to blame for. */
const isOfMachine = (error: unknown): boolean =>
  error instanceof TooMuch ||
  isMachineError(error) ||
  (error as NodeJS.ErrnoException).syscall !== undefined ||
  (error instanceof HostError && error.stage !== 'precheck' && !(error instanceof FileError) && !isDamage(error))

async function unpack(bytes: Bytes, { roots, limits, request, signal }: Trial): Promise<void> {
  const own = join(trialFolder(roots.host), request.place.backup)
  await rm(own, { recursive: true, force: true })
  await mkdir(own, { recursive: true, mode: 0o700 })
  try {
    const entries = counted(tarEntries(bytes), limits)
    await holding(Directory.at(own), (into) => new Unpacker(into, { signal }).unpack(entries))
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/** What an archive has, not what its manifest says. */
async function* counted(
  entries: AsyncIterable<ReadEntry>,
  { entries: limit, bytes }: TrialLimits,
): AsyncGenerator<ReadEntry> {
  let [count, left] = [0, bytes]
  for await (const entry of entries) {
    if (++count > limit) throw new TooMuch(`more than ${limit} files, too many to be tried`)
    left -= entry.extents?.reduce((sum, { length }) => sum + length, 0) ?? entry.size
    if (left < 0) throw new TooMuch('larger than its manifest says, too large to be tried')
    yield entry
  }
}

async function load(entry: ManifestEntry, bytes: () => Bytes, { server, request, signal }: Trial): Promise<void> {
  const from = databaseIn(entry.name)
  const names = { name: from, from, prefix: '', formerPrefix: '', collation: 'utf8mb4_unicode_ci' } as const
  const filling = { ...names, bytes, definers: [], account: request.account, signal }
  await server!.load(filling, entry.content_bytes ?? 0)
}
