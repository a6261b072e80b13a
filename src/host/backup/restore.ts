import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { decompress, through } from '../archive/compress.ts'
import { textOf } from '../archive/pack.ts'
import { tarEntries } from '../archive/tar-read.ts'
import { partsOf, Unpacker } from '../archive/unpack.ts'
import type { BackupOptions, PartRestore } from '../backups.ts'
import { HostError } from '../error.ts'
import { type Directory, holding } from '../home/directory.ts'
import { removeAll } from '../home/remove.ts'
import { makeWay } from '../home/walk.ts'
import type { Faults } from '../install/engine.ts'
import { readManifest } from './check.ts'
import { type Move, RestoreJournal, type Swap } from './journal.ts'
import { archiveName, isLeftOut } from './parts.ts'
import { directoryOf } from './place.ts'

const run = promisify(execFile)
const fresh = Buffer.from('new')
const former = Buffer.from('old')

export interface Restoring {
  /** Where backups lie, and the host. */
  readonly backups: string
  readonly host: string
  readonly faults?: Faults | undefined
}

type Path = readonly Buffer[]
const slash = Buffer.from('/')
const encode = (path: Path): string =>
  Buffer.concat(path.flatMap((part, at) => (at ? [slash, part] : [part]))).toString('base64')
const decode = (path: string): Buffer[] => partsOf(Buffer.from(path, 'base64'))

/** Puts one part back: unpacked beside what is there, then in its place. A part is whole or not at all. */
export async function restorePart(
  where: Restoring,
  home: Directory,
  wanted: PartRestore,
  options: BackupOptions,
): Promise<void> {
  const journal = new RestoreJournal(where.host, wanted.account.id, wanted.restore)
  const name = Buffer.from(`restore-${wanted.place.backup}`)
  if (journal.of(wanted.part) === undefined) {
    await removeAll(home, name, options.signal)
    await home.makeDirectory(name, 0o700)
    const swap = await staged(where, home, name, wanted, options)
    await where.faults?.('restore-unpacked')
    options.signal?.throwIfAborted()
    journal.write(wanted.part, swap)
  }
  const state = journal.of(wanted.part)
  if (state !== 'done') {
    await holding(home.down(name), (stage) => swapIn(home, stage, state as Swap, where.faults))
    journal.write(wanted.part, 'done')
  }
  await where.faults?.('restore-done')
  await removeAll(home, name)
}

async function staged(
  where: Restoring,
  home: Directory,
  name: Buffer,
  wanted: PartRestore,
  options: BackupOptions,
): Promise<Swap> {
  try {
    return await holding(home.down(name), async (stage) => {
      await stage.makeDirectory(fresh, 0o700)
      await stage.makeDirectory(former, 0o700)
      await holding(stage.down(fresh), (into) => unpack(where, home, into, wanted, options))
      await run('sync', ['-f', where.host]).catch(() => stage.flush())
      const swap = await holding(stage.down(fresh), (into) => planOf(home, into, wanted))
      for (const { to } of swap.moves) await (await wayTo(home, decode(to))).close()
      return swap
    })
  } catch (error) {
    await removeAll(home, name).catch(() => {})
    throw error
  }
}

async function unpack(
  where: Restoring,
  home: Directory,
  into: Directory,
  wanted: PartRestore,
  { signal }: BackupOptions,
): Promise<void> {
  const { place, part, paths } = wanted
  const directory = directoryOf(where.backups, place)
  const manifest = await readManifest(directory, wanted.manifestSha256)
  if (typeof manifest === 'string') throw new HostError('stage', `The backup is damaged: ${manifest}`)
  const archive = createReadStream(join(directory, archiveName(part, manifest.compression)))
  const entries = tarEntries(through(archive as AsyncIterable<Buffer>, decompress(manifest.compression, signal)))
  const uid = Number((await home.stat()).uid)
  const roots = paths?.map(decode)
  const wants = roots && ((path: Path) => roots.some((root) => isWithin(path, root)))
  if (part === 'mail') {
    await into.makeDirectory(mail, 0o700)
    return holding(into.down(mail), (below) => new Unpacker(below, { uid, signal }).unpack(entries))
  }
  return new Unpacker(into, { uid, signal, ...(wants && { wants }) }).unpack(entries)
}

const mail = Buffer.from('mail')

const isWithin = (path: Path, root: Path): boolean =>
  root.length <= path.length && root.every((part, at) => part.equals(path[at]!))

async function planOf(home: Directory, into: Directory, { part, paths, to }: PartRestore): Promise<Swap> {
  if (paths) return { out: [], moves: await namedMoves(into, paths, to) }
  const moves = await allMoves(into, to)
  if (part === 'mail' || to !== undefined) return { out: [], moves }
  const out: string[] = []
  for await (const name of home.names()) if (!isLeftOut([name])) out.push(encode([name]))
  return { out, moves }
}

async function allMoves(into: Directory, to: string | undefined): Promise<Move[]> {
  const moves: Move[] = []
  for await (const name of into.names()) moves.push({ from: encode([name]), to: below(to, [name]) })
  return moves
}

const below = (to: string | undefined, path: Path): string => encode([...(to === undefined ? [] : decode(to)), ...path])

async function namedMoves(into: Directory, paths: readonly string[], to: string | undefined): Promise<Move[]> {
  const moves: Move[] = []
  for (const path of paths.map(decode)) {
    if (!(await isThere(into, path))) throw new HostError('precheck', `${textOf(path)} is not in the backup.`)
    moves.push({ from: encode(path), to: below(to, path) })
  }
  return moves
}

async function isThere(from: Directory, path: Path): Promise<boolean> {
  let here = await from.again()
  try {
    for (const part of path.slice(0, -1)) {
      if (!(await here.find(part))?.isDirectory()) return false
      const above = here
      here = await above.down(part).finally(() => above.close())
    }
    return (await here.find(path.at(-1)!)) !== undefined
  } finally {
    await here.close()
  }
}

/** Goes on from where it was stopped: what is not staged any more has taken its place. */
async function swapIn(home: Directory, stage: Directory, { out, moves }: Swap, faults?: Faults): Promise<void> {
  await holding(stage.down(former), async (old) => {
    for (const name of out.map((path) => Buffer.from(path, 'base64'))) {
      if ((await home.find(name)) && !(await old.find(name))) await home.rename(name, old, name)
      await faults?.('restore-out')
    }
    for (const [at, move] of moves.entries()) {
      await take(home, stage, old, move, at)
      await faults?.('restore-in')
    }
  })
  await home.flush()
}

async function take(home: Directory, stage: Directory, old: Directory, { from, to }: Move, at: number): Promise<void> {
  const [source, target] = [[fresh, ...decode(from)], decode(to)]
  if (!(await isThere(stage, source))) return
  await holding(descend(stage, source.slice(0, -1)), (staging) =>
    holding(wayTo(home, target), async (parent) => {
      const name = target.at(-1)!
      if (await parent.find(name)) await parent.rename(name, old, await freeName(old, at))
      await staging.rename(source.at(-1)!, parent, name)
      await parent.flush()
    }),
  )
}

async function freeName(old: Directory, at: number): Promise<Buffer> {
  for (let n = 0; ; n++) {
    const name = Buffer.from(`${at}.${n}`)
    if (!(await old.find(name))) return name
  }
}

/** The directory that a path is to lie in, made where it is missing; a link on the way is refused. */
const wayTo = async (home: Directory, path: Path): Promise<Directory> =>
  makeWay({ directory: home, uid: (await home.stat()).uid }, path.slice(0, -1))

async function descend(from: Directory, path: Path): Promise<Directory> {
  let here = await from.again()
  for (const part of path) {
    const above = here
    here = await above.down(part).finally(() => above.close())
  }
  return here
}
