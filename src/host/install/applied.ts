import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Coalesced } from '../../shared/async/coalesce.ts'
import type { Revision, ServerConfig } from '../contract/account.ts'
import type { AccountState } from '../contract/driver.ts'
import { flushDirs } from './disk.ts'
import { type Manifest, unionOf } from './manifest.ts'
import { PreallocatedFile } from './preallocated-file.ts'

/** An account being applied; without a state it is being removed. */
export interface AppliedRecord {
  readonly id: string
  readonly order?: Revision
  readonly server?: ServerConfig
  readonly account?: AccountState
  /** All files that the panel may ever have written for it. */
  readonly files?: Manifest['files']
}

const folder = 'var/lib/panel-host/applied'
const run = promisify(execFile)
/** The system itself writes back data this old, so that little is left to wait for. */
const checkpointMs = 30_000

/**
 * What was applied since the last checkpoint. One fsync of this log, shared by concurrent applies, replaces those of
 * all files and directories: after a power loss its records are reapplied.
 */
export class AppliedLog {
  readonly #folder: string
  readonly #boot: string
  readonly #flushes = new Coalesced(() => this.#flush())
  readonly #checkpoints = new Coalesced(() => this.#writeBack())
  #lines: string[] = []
  #file: PreallocatedFile | undefined
  #rotates = false
  #timer: NodeJS.Timeout | undefined

  constructor(root: string, boot = bootId()) {
    this.#folder = join(root, folder)
    this.#boot = boot
  }

  /** Resolves when the record is on disk. */
  async add(record: AppliedRecord): Promise<void> {
    this.#lines.push(JSON.stringify(record))
    await this.#flushes.run()
    this.#timer ??= setTimeout(() => void this.checkpoint().catch(() => {}), checkpointMs).unref()
  }

  /** The last record of each account, if the machine has rebooted since. */
  lost(): readonly AppliedRecord[] {
    const last = new Map<string, AppliedRecord>()
    for (const name of ['old', 'new']) {
      const [head, ...lines] = this.#read(name)
      if (head === this.#boot) continue
      for (const record of lines.flatMap(parsed)) last.set(record.id, afterwards(last.get(record.id), record))
    }
    return [...last.values()]
  }

  /** Makes the system write back all that was applied so far; its records are then obsolete. */
  checkpoint(): Promise<void> {
    return this.#checkpoints.run()
  }

  async #writeBack(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // After a failed checkpoint its records are still there.
    const failed = existsSync(this.#path('old'))
    this.#rotates = !failed
    await this.#flushes.run()
    if (!existsSync(this.#path('old'))) return
    await run('sync', ['-f', this.#folder])
    rmSync(this.#path('old'))
    await flushDirs([this.#folder])
    if (failed) await this.#writeBack()
  }

  async #flush(): Promise<void> {
    if (this.#rotates) this.#quarantine()
    const lines = this.#lines.splice(0)
    if (lines.length === 0) return
    this.#file ??= await this.#open()
    await this.#file.append(`\n${lines.join('\n')}\n`)
  }

  #quarantine(): void {
    this.#rotates = false
    this.#file?.close()
    this.#file = undefined
    if (existsSync(this.#path('new'))) renameSync(this.#path('new'), this.#path('old'))
  }

  async #open(): Promise<PreallocatedFile> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const known = existsSync(this.#path('new'))
    const file = new PreallocatedFile(this.#path('new'))
    if (!known) await file.append(this.#boot)
    await flushDirs([this.#folder, join(this.#folder, '..')])
    return file
  }

  #read(name: string): string[] {
    try {
      return readFileSync(this.#path(name), 'utf8').trimEnd().split('\n').filter(Boolean)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  #path(name: string): string {
    return join(this.#folder, name)
  }
}

/** The later record with the earlier ones' files, as removals of those may be lost too. */
function afterwards(former: AppliedRecord | undefined, record: AppliedRecord): AppliedRecord {
  return record.account ? { ...record, files: unionOf(former?.files, record.files) } : record
}

/** An incomplete line is from an apply that was never acknowledged. */
function parsed(line: string): AppliedRecord[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** Differs after each boot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
