import type { BigIntStats } from 'node:fs'
import { FileError } from '../../contract/error.ts'
import { textOf } from '../archive/warnings.ts'
import { type Directory, holding } from './directory.ts'
import { refuseForeign } from './entry.ts'
import { type Parts, refuseReserved } from './path.ts'
import { renameToFree } from './rename.ts'
import { descend, type Home } from './walk.ts'

type BytePath = readonly Buffer[]

export interface Merging {
  readonly home: Home
  /** Where replaced entries are kept until everything is in place. */
  readonly old: Directory
  readonly overwrite: boolean
  /** Where the content goes in the home. */
  readonly target: Parts
}

/** An entry to move from one directory to another. */
interface MergeStep {
  readonly from: Directory
  readonly to: Directory
  /** Relative to both roots. */
  readonly path: BytePath
  readonly name: Buffer
  readonly stats: BigIntStats
  readonly there: BigIntStats | undefined
}

interface Done extends Pick<MergeStep, 'path' | 'name'> {
  readonly retained?: Buffer
}

/** Moves one directory's content into another: all of it, or nothing if any entry conflicts. */
export async function merge(from: Directory, to: Directory, merging: Merging): Promise<void> {
  await eachStep(from, to, [], async (step) => check(step, merging))
  const done: Done[] = []
  try {
    await eachStep(from, to, [], async (step) => {
      check(step, merging)
      done.push(await take(step, merging.old, done.length))
      await merging.home.onFailPoint?.('extract-moved')
    })
    await to.flush()
  } catch (error) {
    for (const one of done.reverse()) await putBack(from, to, one, merging)
    throw error
  }
}

/** Directories that exist in both are merged. */
async function eachStep(
  from: Directory,
  to: Directory,
  path: BytePath,
  act: (step: MergeStep) => Promise<void>,
): Promise<void> {
  for await (const name of from.names()) {
    const [stats, there] = [await from.lstat(name), await to.find(name)]
    if (!stats.isDirectory() || !there?.isDirectory()) await act({ from, to, path, name, stats, there })
    else
      await holding(from.down(name), (inner) =>
        holding(to.down(name), (below) => eachStep(inner, below, [...path, name], act)),
      )
  }
}

function check({ path, name, stats, there }: MergeStep, { home, overwrite, target }: Merging): void {
  if (!stats.isDirectory()) refuseReserved([...target, ...path, name])
  if (!there) return
  refuseForeign(home, there)
  if (overwrite && !stats.isDirectory() && !there.isDirectory()) return
  throw new FileError('exists', `${textOf([...path, name])} is there already.`)
}

/** A replaced file exists at all times, old or new. */
async function take({ from, to, path, name, stats, there }: MergeStep, old: Directory, nth: number): Promise<Done> {
  if (!there) {
    await renameToFree({ parent: from, name }, { parent: to, name }, stats)
    return { path, name }
  }
  const retained = Buffer.from(`${process.pid}.${nth}`)
  await to.link(name, old, retained)
  await from.rename(name, to, name)
  return { path, name, retained }
}

async function putBack(
  from: Directory,
  to: Directory,
  { path, name, retained }: Done,
  { home, old }: Merging,
): Promise<void> {
  const below = (directory: Directory): Promise<Directory> => descend({ ...home, directory }, path)
  await holding(below(from), (source) =>
    holding(below(to), async (target) => {
      await target.rename(name, source, name)
      if (retained) await old.rename(retained, target, name)
    }),
  ).catch(() => {})
}
