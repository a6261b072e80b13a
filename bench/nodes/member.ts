import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const bin = fileURLToPath(new URL('../../bin/panel.js', import.meta.url))

/** Skews its clock by this many milliseconds. */
const skewed = (ms: number): string[] => [
  '--import',
  `data:text/javascript,const now=Date.now;Date.now=()=>now()+(${ms})`,
]

/** A process that is started again after it was killed. */
export class Member {
  readonly name: string
  readonly #words: readonly string[]
  readonly #log: string
  /** What runs it, such as a command that enters a namespace. */
  readonly #within: readonly string[]
  #isLost = false
  #child: ChildProcess | undefined

  constructor(name: string, words: readonly string[], log: string, within: readonly string[] = []) {
    this.name = name
    this.#words = words
    this.#log = log
    this.#within = within
  }

  get pid(): number | undefined {
    return this.#isUp ? this.#child?.pid : undefined
  }

  start(skew = 0): void {
    if (this.#isUp || this.#isLost) return
    const log = openSync(this.#log, 'a')
    const node = [process.execPath, ...(skew === 0 ? [] : skewed(skew)), bin, ...this.#words]
    const [command, ...words] = [...this.#within, ...node]
    this.#child = spawn(command!, words, { stdio: ['ignore', log, log] })
    closeSync(log)
  }

  /** Its machine is lost: nothing starts it until it comes back. */
  async lose(): Promise<void> {
    this.#isLost = true
    await this.end()
  }

  comeBack(): void {
    this.#isLost = false
    this.start()
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.#isUp) return
    const child = this.#child!
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }

  get #isUp(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }
}
