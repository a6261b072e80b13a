import { readFileSync, renameSync, writeFileSync } from 'node:fs'

const minute = 60_000
const minutes = 60

type Counts = Map<string, Map<number, number>>

/** The number of recipients in the last 60 minutes, by account and by mailbox; survives a restart. */
export class Sent {
  readonly #counts: Counts
  readonly #file: string
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined

  constructor(file: string, now: () => number = Date.now) {
    this.#file = file
    this.#now = now
    this.#counts = readFrom(file)
  }

  of(key: string): number {
    const from = this.#minute() - minutes
    const found = this.#counts.get(key)
    if (!found) return 0
    for (const at of found.keys()) if (at <= from) found.delete(at)
    if (found.size === 0) this.#counts.delete(key)
    return [...found.values()].reduce((sum, count) => sum + count, 0)
  }

  add(key: string, count: number): void {
    const found = this.#counts.get(key) ?? new Map<number, number>()
    found.set(this.#minute(), (found.get(this.#minute()) ?? 0) + count)
    this.#counts.set(key, found)
    this.#timer ??= setTimeout(() => this.#keepOrSay(), 1000).unref()
  }

  /** A full disk must not stop all mail. */
  #keepOrSay(): void {
    try {
      this.keep()
    } catch (error) {
      process.stderr.write(`error: what was sent could not be noted: ${(error as Error).message}\n`)
    }
  }

  keep(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const key of [...this.#counts.keys()]) this.of(key)
    const all = [...this.#counts].map(([key, found]) => [key, [...found]])
    writeFileSync(`${this.#file}.new`, JSON.stringify(all), { mode: 0o600 })
    renameSync(`${this.#file}.new`, this.#file)
  }

  #minute(): number {
    return Math.floor(this.#now() / minute)
  }
}

/** If it is unreadable, counting starts from zero: mail goes on. */
function readFrom(file: string): Counts {
  try {
    const all = JSON.parse(readFileSync(file, 'utf8')) as [string, [number, number][]][]
    return new Map(all.map(([key, found]) => [key, new Map(found)]))
  } catch {
    return new Map()
  }
}
