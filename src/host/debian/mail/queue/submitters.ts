import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { queueId } from '../../../../shared/patterns.ts'

export interface Submitter {
  readonly uid: number
  readonly at: number
}

/** Messages whose submitter is remembered; the oldest go first. */
const MAX_MESSAGES = 200_000
/** Lines of the file about messages that have left, before it is written anew. */
const MAX_STALE_LINES = 1000

const line = new RegExp(`^(${queueId}) ([0-9]{1,10}) ([0-9]{1,15})$`)
const lineOf = (id: string, { uid, at }: Submitter): string => `${id} ${uid} ${at}\n`

/** Who submitted what waits in the queue, by queue id; survives a restart. */
export class Submitters {
  readonly #file: string | undefined
  readonly #all = new Map<string, Submitter>()
  #lines = 0

  /** Without a file they are forgotten at the end. */
  constructor(file?: string) {
    this.#file = file
    const lines = file === undefined ? [] : linesIn(file)
    for (const text of lines) {
      const [, id, uid, at] = line.exec(text) ?? []
      if (id !== undefined) this.#set(id, { uid: Number(uid), at: Number(at) })
    }
    this.#lines = this.#all.size
    // After a crash in the middle of a line the next one would be part of it.
    if ((lines.at(-1) ?? '') !== '') this.#rewrite()
  }

  get size(): number {
    return this.#all.size
  }

  get(id: string): Submitter | undefined {
    return this.#all.get(id)
  }

  [Symbol.iterator](): IterableIterator<[string, Submitter]> {
    return this.#all.entries()
  }

  add(id: string, submitter: Submitter): void {
    this.#set(id, submitter)
    this.#lines++
    this.#writeOrReport((file) => appendFileSync(file, lineOf(id, submitter), { mode: 0o600 }))
  }

  forget(id: string): void {
    this.#all.delete(id)
  }

  /** Shortens the file once most of it is about messages that have left. */
  keep(): void {
    if (this.#lines > 2 * this.#all.size + MAX_STALE_LINES) this.#rewrite()
  }

  #rewrite(): void {
    this.#writeOrReport((file) => {
      writeFileSync(`${file}.new`, [...this.#all].map(([id, one]) => lineOf(id, one)).join(''), { mode: 0o600 })
      renameSync(`${file}.new`, file)
      this.#lines = this.#all.size
    })
  }

  #set(id: string, submitter: Submitter): void {
    this.#all.set(id, submitter)
    if (this.#all.size > MAX_MESSAGES) this.#all.delete(this.#all.keys().next().value!)
  }

  /** A full disk must not stop all mail. */
  #writeOrReport(write: (file: string) => void): void {
    try {
      if (this.#file !== undefined) write(this.#file)
    } catch (error) {
      process.stderr.write(`error: who submitted a message could not be noted: ${(error as Error).message}\n`)
    }
  }
}

function linesIn(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}
