import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { Directory, holding } from '../homes/home/directory.ts'
import { logsOf } from '../homes/home-paths.ts'
import { cutLog, MAX_BUFFERED_BYTES } from '../traffic/cut.ts'

/** Besides the daily rotation, which removes them after its own time. */
const MAX_LOG_FILES = 30
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

export const logName = (app: string): string => `${app}.app.log`

/** An app's output, beside the account's other logs. It is opened for each write: others may rotate it. */
export class AppLog {
  readonly #folder: string
  readonly #name: string
  readonly #isInUse: boolean
  #turn: Promise<void> = Promise.resolve()

  /** `isInUse`: a program writes to the file itself, so it must stay in place. */
  constructor(root: string, username: string, app: string, { isInUse = false } = {}) {
    this.#folder = join(root, logsOf(username))
    this.#name = logName(app)
    this.#isInUse = isInUse
  }

  /** Resolves when it is written; what cannot be written is dropped. */
  add(bytes: Buffer): Promise<void> {
    this.#turn = this.#turn.then(() => this.#write(bytes)).catch(() => {})
    return this.#turn
  }

  /** Creates it if it is missing, and rotates it if it is full. */
  look(): Promise<void> {
    return this.add(Buffer.alloc(0))
  }

  get path(): string {
    return join(this.#folder, this.#name)
  }

  /** Removes it, with all rotated files. */
  remove(): Promise<void> {
    this.#turn = this.#turn
      .then(() => holding(Directory.at(this.#folder), (folder) => this.#removeIn(folder)))
      .catch(() => {})
    return this.#turn
  }

  async #removeIn(folder: Directory): Promise<void> {
    for await (const name of folder.names()) {
      const text = name.toString('latin1')
      if (text === this.#name || text.startsWith(`${this.#name}-`)) await folder.unlink(name)
    }
  }

  say(text: string): Promise<void> {
    return this.add(Buffer.from(`${new Date().toISOString()} panel: ${text}\n`))
  }

  #write(bytes: Buffer): Promise<void> {
    return holding(Directory.at(this.#folder), async (folder) => {
      const file = await fs.open(folder.place(Buffer.from(this.#name)), flags, 0o640)
      try {
        await file.appendFile(bytes)
        if (await isFull(file)) await this.#rotate(folder)
      } finally {
        await file.close()
      }
    })
  }

  /** Named like the daily rotation's files. If rotated twice a day, the later one is kept. */
  async #rotate(folder: Directory): Promise<void> {
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    const [name, as] = [Buffer.from(this.#name), Buffer.from(`${this.#name}-${day}`)]
    if (this.#isInUse) await cutLog(folder, name, as)
    else await folder.rename(name, folder, as)
    const old: string[] = []
    for await (const name of folder.names())
      if (name.toString('latin1').startsWith(`${this.#name}-`)) old.push(name.toString('latin1'))
    for (const name of old.sort().slice(0, -MAX_LOG_FILES)) await folder.unlink(Buffer.from(name))
  }
}

/** Blocks can be allocated without writing a byte, even beyond the end. */
const isFull = async (file: FileHandle): Promise<boolean> => {
  const stats = await file.stat()
  return stats.isFile() && Math.max(stats.size, stats.blocks * 512) > MAX_BUFFERED_BYTES
}
