import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Renamed } from '../contract/commands/backups.ts'
import { HostError } from '../contract/error.ts'
import { tarEntries } from '../homes/archive/tar-read.ts'
import { Unpacker } from '../homes/archive/unpack.ts'
import { textOf } from '../homes/archive/warnings.ts'
import { type Directory, holding } from '../homes/home/directory.ts'
import { removeAll } from '../homes/home/remove.ts'
import type { HomeMove, Staging, Swap } from './home.ts'
import { isLeftOut } from './pack.ts'
import { decode, encode, former, fresh, isThere, type Path, pathTo } from './paths.ts'
import { appsSince } from './releases.ts'
import type { Bytes } from './write.ts'

const run = promisify(execFile)

/** Unpacks an archive into staging, and returns what to swap in. */
export async function stage(home: Directory, staging: Staging, bytes: Bytes, signal?: AbortSignal): Promise<Swap> {
  const name = Buffer.from(staging.name)
  await removeAll(home, name, { signal })
  await home.makeDirectory(name, 0o700)
  try {
    return await holding(home.down(name), (directory) => staged(home, directory, staging, bytes, signal))
  } catch (error) {
    await removeAll(home, name).catch(() => {})
    throw error
  }
}

async function staged(
  home: Directory,
  directory: Directory,
  staging: Staging,
  bytes: Bytes,
  signal: AbortSignal | undefined,
): Promise<Swap> {
  await directory.makeDirectory(fresh, 0o700)
  await directory.makeDirectory(former, 0o700)
  await directory.makeDirectory(linked, 0o700)
  await holding(directory.down(linked), (spool) =>
    holding(directory.down(fresh), (into) => unpack(home, { into, spool }, staging, bytes, signal)),
  )
  await removeAll(directory, linked, { signal })
  await flush(directory)
  const swap = await holding(directory.down(fresh), (into) => planOf(home, into, staging))
  for (const { to } of swap.moves) await (await pathTo(home, decode(to))).close()
  return swap
}

/** Flushes everything unpacked, and the rest of the file system with it. */
const flush = (directory: Directory): Promise<unknown> =>
  run('sync', ['-f', `/proc/${process.pid}/fd/${directory.fd}`]).catch(() => directory.flush())

/** Files that are not restored themselves, but may be under further names. */
const linked = Buffer.from('linked')

async function unpack(
  home: Directory,
  { into, spool }: { readonly into: Directory; readonly spool: Directory },
  { part, paths, to, domain, inodes: most }: Staging,
  bytes: Bytes,
  signal: AbortSignal | undefined,
): Promise<void> {
  const entries = tarEntries(bytes)
  const uid = Number((await home.stat()).uid)
  const roots = paths?.map(decode)
  // Directories above selected paths are staged, too, and stay behind: in place they exist.
  const inodes = most === undefined || to !== undefined ? most : most + countAbove(roots ?? [])
  const wants = roots && ((path: Path) => roots.some((root) => isWithin(path, root)))
  if (part === 'mail') {
    await into.makeDirectory(mail, 0o700)
    return holding(into.down(mail), async (below) => {
      await new Unpacker(below, { uid, signal, inodes }).unpack(entries)
      if (domain) await renameDomains(below, domain)
    })
  }
  return new Unpacker(into, { uid, signal, inodes, ...(wants && { wants, spool }) }).unpack(entries)
}

const mail = Buffer.from('mail')

/** Renames the directories of a domain and its subdomains to its current name. */
async function renameDomains(below: Directory, { from, to }: Renamed): Promise<void> {
  const found: string[] = []
  for await (const bytes of below.names()) found.push(bytes.toString('latin1'))
  for (const name of found) {
    if (name !== from && !name.endsWith(`.${from}`)) continue
    const now = Buffer.from(`${name.slice(0, -from.length)}${to}`)
    if (!(await below.find(now))) await below.rename(Buffer.from(name, 'latin1'), below, now)
  }
}

const countAbove = (roots: readonly Path[]): number =>
  new Set(roots.flatMap((path) => path.slice(1).map((_, at) => encode(path.slice(0, at + 1))))).size

const isWithin = (path: Path, root: Path): boolean =>
  root.length <= path.length && root.every((part, at) => part.equals(path[at]!))

async function planOf(home: Directory, into: Directory, { part, paths, to }: Staging): Promise<Swap> {
  if (paths) return { out: [], moves: await namedMoves(into, paths, to) }
  const moves = await allMoves(into, to)
  if (part === 'mail' || to !== undefined) return { out: [], moves }
  const out: string[] = []
  for await (const name of home.names()) if (!isLeftOut([name])) out.push(encode([name]))
  return { out, moves, back: (await appsSince(home, into)).map(encode) }
}

async function allMoves(into: Directory, to: string | undefined): Promise<HomeMove[]> {
  const moves: HomeMove[] = []
  for await (const name of into.names()) moves.push({ from: encode([name]), to: below(to, [name]) })
  return moves
}

const below = (to: string | undefined, path: Path): string => encode([...(to === undefined ? [] : decode(to)), ...path])

async function namedMoves(into: Directory, paths: readonly string[], to: string | undefined): Promise<HomeMove[]> {
  const moves: HomeMove[] = []
  for (const path of paths.map(decode)) {
    if (!(await isThere(into, path))) throw new HostError('precheck', `${textOf(path)} is not in the backup.`)
    moves.push({ from: encode(path), to: below(to, path) })
  }
  return moves
}
