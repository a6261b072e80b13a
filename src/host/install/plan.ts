import { HostError } from '../contract/error.ts'
import type { HostArea } from '../parts/index.ts'
import type { DirSpec, FileSpec } from '../parts/spec.ts'
import type { Tree } from './tree.ts'

/** A directory to move, with all its content. */
export interface PlannedMove {
  readonly area: HostArea
  readonly from: string
  readonly to: string
}

/** A file to write or remove. Without an area it is the panel's own record. */
export interface Change {
  readonly area?: HostArea
  readonly path: string
  /** Whether the file existed before. */
  readonly had: boolean
  /** Absent to remove the file. */
  readonly write?: FileSpec
}

export interface DirChange {
  readonly area?: HostArea
  readonly dir: DirSpec
}

/** Everything that one transaction will do, planned before any of it is done. */
export interface Plan {
  /** The journal's name. */
  readonly key: string
  readonly moves: readonly PlannedMove[]
  readonly makes: readonly DirChange[]
  readonly chmods: readonly DirChange[]
  readonly changes: readonly Change[]
  /** What prevents parts of it: nothing of such a plan may be done. */
  readonly errors: readonly HostError[]
}

/** The current path of what will be at `path` after the moves. */
export function before(path: string, moves: readonly PlannedMove[]): string {
  return moves.reduceRight((now, { from, to }) => (within(now, to) ? from + now.slice(to.length) : now), path)
}

const within = (path: string, dir: string) => path === dir || path.startsWith(`${dir}/`)

/** Whether a plan would change nothing. */
export function isEmpty({ moves, makes, chmods, changes }: Plan): boolean {
  return moves.length + makes.length + chmods.length + changes.length === 0
}

/** Throws if something prevents a plan. */
export function refuseErrors({ errors: [first] }: Plan): void {
  if (first) throw first
}

/** The number of changes that plans make in an area. */
export function countIn(plans: readonly Plan[], area: HostArea): number {
  const all = plans.flatMap(({ moves, makes, chmods, changes }) => [...moves, ...makes, ...chmods, ...changes])
  return all.filter((change) => change.area === area).length
}

/** Builds one transaction's plan by comparing the desired state with the disk. */
export class PlanBuilder {
  readonly moves: PlannedMove[] = []
  readonly makes: DirChange[] = []
  readonly chmods: DirChange[] = []
  readonly changes: Change[] = []
  readonly #errors: HostError[] = []
  readonly #tree: Tree
  readonly #again: boolean
  readonly #made = new Set<string>()

  /** `again`: rewrites files that are written only once, if they are missing or empty. */
  constructor(tree: Tree, again = false) {
    this.#tree = tree
    this.#again = again
  }

  move(area: HostArea, from: string, to: string): void {
    this.moves.push({ area, from, to })
  }

  dir(dir: DirSpec, area?: HostArea): void {
    this.#attempt(() => this.#dir(dir, area))
  }

  file(file: FileSpec, area?: HostArea): void {
    this.#attempt(() => this.#file(file, area))
  }

  /** Removes a file, if it exists and `ours` confirms it. */
  gone(path: string, own: (content: string) => boolean, area?: HostArea): void {
    this.#attempt(() => this.#gone(path, own, area))
  }

  build(key: string): Plan {
    const { moves, makes, chmods, changes } = this
    return { key, moves, makes, chmods, changes, errors: this.#errors }
  }

  /** A comparison shows everything that differs, so planning continues past what cannot be compared. */
  #attempt(act: () => void): void {
    try {
      act()
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      if (!this.#errors.some(({ message }) => message === error.message)) this.#errors.push(error)
    }
  }

  #dir(dir: DirSpec, area: HostArea | undefined): void {
    // Two parts may want the same one: a site and a login of one directory.
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

  #file(file: FileSpec, area: HostArea | undefined): void {
    const isNew = this.#made.has(file.path.slice(0, file.path.lastIndexOf('/')))
    if (file.once) return this.#once(file, isNew, area)
    const now = before(file.path, this.moves)
    const found = isNew ? undefined : this.#tree.read(now)
    const had = found !== undefined || (!isNew && this.#tree.isLink(now))
    if (file.seed && had) return
    const same = found && found.content === file.content && found.mode === file.mode
    if (same && this.#tree.isOwned(found, file)) return
    const change: Change = { path: file.path, had, write: file }
    this.changes.push(area ? { ...change, area } : change)
  }

  /** It belongs to its owner by now, who may have put anything there: check it, but do not open it. */
  #once(file: FileSpec, isNew: boolean, area: HostArea | undefined): void {
    if (!isNew && !this.#again) return
    const stats = isNew ? undefined : this.#tree.stat(before(file.path, this.moves))
    if (stats && (!stats.isFile() || stats.size > 0)) return
    const change: Change = { path: file.path, had: stats !== undefined, write: file }
    this.changes.push(area ? { ...change, area } : change)
  }

  #gone(path: string, own: (content: string) => boolean, area: HostArea | undefined): void {
    const found = this.#tree.read(path)
    if (found ? !own(found.content) : !this.#tree.isLink(path)) return
    this.changes.push(area ? { path, had: true, area } : { path, had: true })
  }
}
