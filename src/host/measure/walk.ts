import { type Dirent, lstat, type Stats } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { eachOf } from './pool.ts'

/** What a directory holds. */
export interface Size {
  readonly bytes: number
  readonly inodes: number
}

const dirsAtOnce = 4
const entriesAtOnce = 64
/** A tenant changes its home while it is measured, and may nest it deeper than a path can be long. */
const passing = ['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG', 'ELOOP']

/** Measures a directory and all below it; links count as themselves, and a file with many names once. */
export async function measure(dir: string): Promise<Size> {
  const tally = new Tally()
  const top = await statOf(dir)
  if (!top?.isDirectory()) return { bytes: 0, inodes: 0 }
  tally.add(top)
  const pending = [dir]
  await eachOf(pending, dirsAtOnce, (next) => measureDir(next, tally, pending))
  return { bytes: tally.bytes, inodes: tally.inodes }
}

class Tally implements Size {
  bytes = 0
  inodes = 0
  readonly #linked = new Set<number>()

  add(stats: Stats): void {
    if (!stats.isDirectory() && stats.nlink > 1) {
      if (this.#linked.has(stats.ino)) return
      this.#linked.add(stats.ino)
    }
    this.bytes += stats.blocks * 512
    this.inodes += 1
  }
}

async function measureDir(dir: string, tally: Tally, pending: string[]): Promise<void> {
  try {
    const batch: Dirent[] = []
    for await (const entry of await opendir(dir, { bufferSize: entriesAtOnce })) {
      batch.push(entry)
      if (batch.length === entriesAtOnce) await measureEntries(dir, batch.splice(0), tally, pending)
    }
    await measureEntries(dir, batch, tally, pending)
  } catch (error) {
    if (!passing.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

async function measureEntries(dir: string, entries: Dirent[], tally: Tally, pending: string[]): Promise<void> {
  const paths = entries.map((entry) => join(dir, entry.name))
  const found = await Promise.all(paths.map(statOf))
  for (const [index, stats] of found.entries()) {
    if (!stats) continue
    tally.add(stats)
    if (stats.isDirectory()) pending.push(paths[index]!)
  }
}

function statOf(path: string): Promise<Stats | undefined> {
  return new Promise((resolve, reject) => {
    lstat(path, (error, stats) => {
      if (!error) resolve(stats)
      else if (passing.includes(error.code ?? '')) resolve(undefined)
      else reject(error)
    })
  })
}
