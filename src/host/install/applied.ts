import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Order, ServerConfig } from '../account.ts'
import { Coalesced } from '../coalesce.ts'
import type { AccountState } from '../driver.ts'
import { flushDirs } from './disk.ts'
import { type Manifest, unionOf } from './manifest.ts'
import { RoomyFile } from './roomy.ts'

/** An account as it is being applied; without a state it is being removed. */
export interface AppliedRecord {
  readonly id: string
  readonly order?: Order
  readonly server?: ServerConfig
  readonly account?: AccountState
  /** All files that the panel may have written for it, before or now. */
  readonly files?: Manifest['files']
}

const folder = 'var/lib/panel-host/applied'
const run = promisify(execFile)
/** The system writes back what is this old by itself, so that there is little left to wait for. */
const checkpointMs = 30_000

/**
 * What was applied since the disk is known to hold it all. One flush of this record, shared by all who wait for
 * one, stands for one of each file and directory: after a loss of power what it names is applied again.
 */
export class AppliedLog {
  readonly #folder: string
  readonly #boot: string
  readonly #flushes = new Coalesced(() => this.#flush())
  readonly #checkpoints = new Coalesced(() => this.#writeBack())
  #lines: string[] = []
  #file: RoomyFile | undefined
  #setsAside = false
  #timer: NodeJS.Timeout | undefined

  constructor(root: string, boot = bootId()) {
    this.#folder = join(root, folder)
    this.#boot = boot
  }

  /** Resolves when the disk holds the record. */
  async add(record: AppliedRecord): Promise<void> {
    this.#lines.push(JSON.stringify(record))
    await this.#flushes.run()
    this.#timer ??= setTimeout(() => void this.checkpoint().catch(() => {}), checkpointMs).unref()
  }

  /** The last record of each account, if the machine has gone down since they were made. */
  lost(): readonly AppliedRecord[] {
    const last = new Map<string, AppliedRecord>()
    for (const name of ['old', 'new']) {
      const [head, ...lines] = this.#read(name)
      if (head === this.#boot) continue
      for (const record of lines.flatMap(parsed)) last.set(record.id, afterwards(last.get(record.id), record))
    }
    return [...last.values()]
  }

  /** Has the system write back all that was applied so far; then its records have served their purpose. */
  checkpoint(): Promise<void> {
    return this.#checkpoints.run()
  }

  async #writeBack(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // Where an earlier checkpoint has failed, its records are still there.
    const failed = existsSync(this.#path('old'))
    this.#setsAside = !failed
    await this.#flushes.run()
    if (!existsSync(this.#path('old'))) return
    await run('sync', ['-f', this.#folder])
    rmSync(this.#path('old'))
    await flushDirs([this.#folder])
    if (failed) await this.#writeBack()
  }

  async #flush(): Promise<void> {
    if (this.#setsAside) this.#setAside()
    const lines = this.#lines.splice(0)
    if (lines.length === 0) return
    this.#file ??= await this.#open()
    await this.#file.append(`\n${lines.join('\n')}\n`)
  }

  #setAside(): void {
    this.#setsAside = false
    this.#file?.close()
    this.#file = undefined
    if (existsSync(this.#path('new'))) renameSync(this.#path('new'), this.#path('old'))
  }

  async #open(): Promise<RoomyFile> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const known = existsSync(this.#path('new'))
    const file = new RoomyFile(this.#path('new'))
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

/** The later record, with the files of those before it: that one of them was taken away may be lost too. */
function afterwards(former: AppliedRecord | undefined, record: AppliedRecord): AppliedRecord {
  return record.account ? { ...record, files: unionOf(former?.files, record.files) } : record
}

/** A line that the power took is of an apply that was never answered. */
function parsed(line: string): AppliedRecord[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** Another after each start of the machine. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
