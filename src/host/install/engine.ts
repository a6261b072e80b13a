import { closeSync, linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HostError } from '../contract/error.ts'
import type { FileSpec } from '../parts/spec.ts'
import { create, flushAll, flushDirs, makeDir, setDirMode } from './disk.ts'
import { backupPath, closedJournal, journalDir, journalOf, openJournal, settle, stagedPath, sweep } from './journal.ts'
import { renameAt } from './openat.ts'
import type { Owners } from './owners.ts'
import type { Change, Plan } from './plan.ts'
import type { Tree } from './tree.ts'
import { asHostError } from './user-message.ts'

/** A new file before it is installed: its future properties, and its temporary path. */
export interface Staged {
  readonly path: string
  readonly file: FileSpec
  readonly staged: string
}

/** Called before and after new files are moved into place. Throwing rolls all of them back. */
export interface Checks {
  readonly precheck?: (staged: readonly Staged[]) => void | Promise<void>
  readonly validate?: (paths: readonly string[]) => void | Promise<void>
}

/** Called before each step, so that a test can stop there. */
export type FailPoint = (point: string) => void | Promise<void>

export interface InstallOptions {
  readonly checks?: Checks | undefined
  readonly onFailPoint?: FailPoint | undefined
  readonly owners?: Owners | undefined
  readonly signal?: AbortSignal | undefined
  /** Durably records the change before it is made. */
  readonly record?: (() => Promise<void>) | undefined
  /** The record suffices to redo the change after a power loss: no file has to be synced. */
  readonly lazily?: boolean | undefined
}

type Stage = HostError['stage']

/** Executes a plan, all or nothing. */
export async function install(tree: Tree, plan: Plan, options: InstallOptions = {}): Promise<void> {
  const run = new Installation(tree, plan, options)
  try {
    await run.install()
  } catch (error) {
    settle(tree.root, plan.key)
    throw options.signal?.aborted ? error : asHostError(run.stage, error)
  }
  await run.finish()
}

class Installation {
  stage: Stage = 'stage'
  readonly #tree: Tree
  readonly #plan: Plan
  readonly #options: InstallOptions
  readonly #writes: readonly Staged[]

  constructor(tree: Tree, plan: Plan, options: InstallOptions) {
    this.#tree = tree
    this.#plan = plan
    this.#options = options
    const writes = plan.changes.filter((change) => change.write)
    this.#writes = writes.map(({ path, write }) => ({ path, file: write!, staged: stagedPath(join(tree.root, path)) }))
  }

  async install(): Promise<void> {
    await this.#prepare()
    this.stage = 'precheck'
    await this.#reached('precheck')
    await this.#options.checks?.precheck?.(this.#writes)
    this.#options.signal?.throwIfAborted()
    this.stage = 'install'
    for (const change of this.#plan.changes) await this.#quarantine(change)
    for (const write of this.#writes) await this.#putInPlace(write)
    await this.#reached('sync')
    if (!this.#options.lazily) await flushDirs(this.#touchedDirs())
    await this.#options.record?.()
    this.stage = 'validate'
    await this.#reached('validate')
    await this.#options.checks?.validate?.(this.#plan.changes.map(({ path }) => path))
    await this.#reached('commit')
    // The commit point: a crash before it is rolled back, after it only cleaned up.
    renameSync(openJournal(this.#tree.root, this.#plan.key), closedJournal(this.#tree.root, this.#plan.key))
  }

  async finish(): Promise<void> {
    const { root } = this.#tree
    const { key } = this.#plan
    await this.#flushJournals()
    await this.#reached('sweep')
    sweep(root, journalOf(this.#plan))
    await this.#reached('close')
    unlinkSync(closedJournal(root, key))
  }

  /** The journal must be durable before anything that it would have to roll back: moves now, renames later. */
  async #prepare(): Promise<void> {
    const waiting = [await this.#openJournal()]
    try {
      if (this.#plan.moves.length > 0) await this.#flush(waiting.splice(0))
      for (const move of this.#plan.moves) await this.#move(move.from, move.to)
      await this.#shapeDirs()
      for (const write of this.#writes) waiting.push(await this.#stageFile(write))
    } finally {
      await this.#flush(waiting)
    }
  }

  async #flush(fds: readonly number[]): Promise<void> {
    if (this.#options.lazily) for (const fd of fds) closeSync(fd)
    else await Promise.all([flushAll(fds), this.#flushJournals()])
  }

  async #flushJournals(): Promise<void> {
    if (!this.#options.lazily) await flushDirs([join(this.#tree.root, journalDir)])
  }

  async #openJournal(): Promise<number> {
    const { root } = this.#tree
    const path = openJournal(root, this.#plan.key)
    this.#clearStale()
    await this.#reached('journal')
    const fd = create(`${path}.panel-new`, JSON.stringify(journalOf(this.#plan)), 0o600)
    renameSync(`${path}.panel-new`, path)
    return fd
  }

  /** A stale old file would otherwise be taken for the one to restore. */
  #clearStale(): void {
    for (const { path, had } of this.#plan.changes) {
      const leftovers = [stagedPath(path), ...(had ? [backupPath(path)] : [])]
      for (const leftover of leftovers.map((name) => join(this.#tree.root, name))) {
        if (lstatSync(leftover, { throwIfNoEntry: false })) unlinkSync(leftover)
      }
    }
  }

  async #move(from: string, to: string): Promise<void> {
    await this.#reached(`move ${to}`)
    if (this.#tree.stat(to)) throw new HostError('install', `${to} already exists.`)
    for (const path of [from, to]) this.#tree.at(path)
    renameAt(this.#tree.root, from, to)
    await flushDirs([dirname(join(this.#tree.root, from)), dirname(join(this.#tree.root, to))])
  }

  async #shapeDirs(): Promise<void> {
    for (const { dir } of this.#plan.makes) {
      await this.#reached(`make ${dir.path}`)
      makeDir(this.#tree.at(dir.path), dir.mode, this.#options.owners?.(dir))
    }
    for (const { dir } of this.#plan.chmods) setDirMode(this.#tree.at(dir.path), dir.mode, this.#options.owners?.(dir))
  }

  async #stageFile({ path, file, staged }: Staged): Promise<number> {
    await this.#reached(`stage ${path}`)
    this.#tree.at(path)
    return create(staged, file.content, file.mode, this.#options.owners?.(file))
  }

  /** A hard link keeps the old file, without copying it, while its name is given to the new one. */
  async #quarantine({ path, had, write }: Change): Promise<void> {
    if (!had) return
    await this.#reached(`aside ${path}`)
    const from = this.#tree.at(path)
    if (write) linkSync(from, backupPath(from))
    else renameSync(from, backupPath(from))
  }

  async #putInPlace({ path, staged }: Staged): Promise<void> {
    await this.#reached(`rename ${path}`)
    renameSync(staged, this.#tree.at(path))
  }

  #touchedDirs(): string[] {
    const { changes, makes } = this.#plan
    const paths = [...changes.map(({ path }) => path), ...makes.map(({ dir }) => dir.path)]
    return paths.map((path) => dirname(join(this.#tree.root, path)))
  }

  async #reached(point: string): Promise<void> {
    if (this.#options.onFailPoint) await this.#options.onFailPoint(point)
  }
}
