import { HostError } from '../error.ts'
import type { HostArea } from '../parts/index.ts'
import type { DirSpec, FileSpec } from '../spec.ts'
import type { Tree } from './tree.ts'

/** A directory that goes elsewhere, with all that is in it. */
export interface Move {
  readonly area: HostArea
  readonly from: string
  readonly to: string
}

/** A file to write or to take away. No area: it is the panel's own record. */
export interface Change {
  readonly area?: HostArea
  readonly path: string
  /** Whether a file is there before. */
  readonly had: boolean
  /** Absent: the file is to go. */
  readonly write?: FileSpec
}

export interface DirChange {
  readonly area?: HostArea
  readonly dir: DirSpec
}

/** All that one transaction will do, worked out before any of it is done. */
export interface Plan {
  /** Names the journal. */
  readonly key: string
  readonly moves: readonly Move[]
  readonly makes: readonly DirChange[]
  readonly chmods: readonly DirChange[]
  readonly changes: readonly Change[]
}

/** Where something is now that will be at `path` once the moves are made. */
export function before(path: string, moves: readonly Move[]): string {
  return moves.reduceRight((now, { from, to }) => (within(now, to) ? from + now.slice(to.length) : now), path)
}

const within = (path: string, dir: string) => path === dir || path.startsWith(`${dir}/`)

/** Whether a plan would change nothing. */
export function isEmpty({ moves, makes, chmods, changes }: Plan): boolean {
  return moves.length + makes.length + chmods.length + changes.length === 0
}

/** How many changes plans make in an area. */
export function countIn(plans: readonly Plan[], area: HostArea): number {
  const all = plans.flatMap(({ moves, makes, chmods, changes }) => [...moves, ...makes, ...chmods, ...changes])
  return all.filter((change) => change.area === area).length
}

/** Puts the plan of one transaction together by comparing what should be with what the disk holds. */
export class PlanBuilder {
  readonly moves: Move[] = []
  readonly makes: DirChange[] = []
  readonly chmods: DirChange[] = []
  readonly changes: Change[] = []
  readonly #tree: Tree
  readonly #again: boolean
  readonly #made = new Set<string>()

  /** `again`: what is written once is written once more where it is missing or empty. */
  constructor(tree: Tree, again = false) {
    this.#tree = tree
    this.#again = again
  }

  move(area: HostArea, from: string, to: string): void {
    this.moves.push({ area, from, to })
  }

  dir(dir: DirSpec, area?: HostArea): void {
    // Two parts may want one: a site and a login of the same place.
    if (this.#made.has(dir.path)) return
    const stats = this.#tree.stat(before(dir.path, this.moves))
    const change: DirChange = area ? { area, dir } : { dir }
    if (!stats) {
      this.makes.push(change)
      this.#made.add(dir.path)
    } else if (!stats.isDirectory()) {
      throw new HostError('stage', `${dir.path} is not a directory; refusing to replace it.`)
    } else if (dir.border && ((stats.mode & 0o7777) !== dir.mode || !this.#tree.isOwned(stats, dir))) {
      this.chmods.push(change)
    }
  }

  file(file: FileSpec, area?: HostArea): void {
    const isNew = this.#made.has(file.path.slice(0, file.path.lastIndexOf('/')))
    if (file.once) return this.#once(file, isNew, area)
    const found = isNew ? undefined : this.#tree.read(before(file.path, this.moves))
    if (file.seed && found) return
    const same = found && found.content === file.content && found.mode === file.mode
    if (same && this.#tree.isOwned(found, file)) return
    const change: Change = { path: file.path, had: found !== undefined, write: file }
    this.changes.push(area ? { ...change, area } : change)
  }

  /** It is its owner's by now, who may have put anything there: it is looked at, and not opened. */
  #once(file: FileSpec, isNew: boolean, area: HostArea | undefined): void {
    if (!isNew && !this.#again) return
    const stats = isNew ? undefined : this.#tree.stat(before(file.path, this.moves))
    if (stats && (!stats.isFile() || stats.size > 0)) return
    const change: Change = { path: file.path, had: stats !== undefined, write: file }
    this.changes.push(area ? { ...change, area } : change)
  }

  /** Takes a file away, if it is there and `ours` says so. */
  gone(path: string, ours: (content: string) => boolean, area?: HostArea): void {
    const found = this.#tree.read(path)
    if (!found || !ours(found.content)) return
    this.changes.push(area ? { path, had: true, area } : { path, had: true })
  }

  build(key: string): Plan {
    const { moves, makes, chmods, changes } = this
    return { key, moves, makes, chmods, changes }
  }
}
