import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Reload } from './reloads.ts'

/** By login, a value that tells passwords apart without revealing them. */
type Passwords = Readonly<Record<string, string>>

export interface LoginsOptions {
  readonly name: string
  /** The folder of files with one login per line, with its hash. */
  readonly folder: string
  /** Ends the sessions of these logins of a file; `gone`: those no longer in it. */
  readonly end: (logins: readonly string[], file: string, gone: readonly string[]) => Promise<void>
  /** Resolves once readers of the files have dropped what they cached. */
  readonly reread?: () => Promise<void>
  readonly root?: string
}

/** Ends the sessions of logins that were removed or whose password changed. */
export class Logins {
  readonly #options: LoginsOptions
  readonly #folder: string
  /** The passwords as of the last time that sessions were ended. */
  readonly #seen: string
  readonly #changed = new Set<string>()

  constructor(options: LoginsOptions) {
    const { root = '/', folder, name } = options
    this.#options = options
    this.#folder = join(root, folder)
    this.#seen = join(root, 'var/lib/panel-host', name)
  }

  changed(paths: readonly string[]): void {
    for (const path of paths) if (this.#reads(path)) this.#changed.add(basename(path))
  }

  readonly reload = (): Reload => ({
    name: this.#options.name,
    reads: this.#reads,
    run: async (paths) => {
      this.changed([...(paths ?? [])])
      const files = paths ? [...this.#changed] : this.#all()
      this.#changed.clear()
      if (files.some((file) => this.#isKnown(file))) await this.#options.reread?.()
      for (const file of files) await this.#compare(file)
    },
  })

  #reads = (path: string): boolean => dirname(path) === this.#options.folder

  /** After a crash it is unknown which ones changed. */
  #all(): string[] {
    const names = (path: string) => (existsSync(path) ? readdirSync(path) : [])
    return [...new Set([...names(this.#folder), ...names(this.#seen)])].filter((name) => !name.startsWith('.'))
  }

  /** A new file has no position from an earlier read. */
  #isKnown = (file: string): boolean => Object.keys(this.#before(file)).length > 0

  async #compare(file: string): Promise<void> {
    const [before, now] = [this.#before(file), this.#now(file)]
    const ended = Object.keys(before).filter((login) => before[login] !== now[login])
    const gone = ended.filter((login) => now[login] === undefined)
    if (ended.length > 0) await this.#options.end(ended, file, gone)
    this.#remember(file, now)
  }

  #before(file: string): Passwords {
    const path = join(this.#seen, file)
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  }

  #now(file: string): Passwords {
    const path = join(this.#folder, file)
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
    const logins = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(':'))
    return Object.fromEntries(logins.map(([login = '', hash = '']) => [login, digest(hash)]))
  }

  #remember(file: string, now: Passwords): void {
    const path = join(this.#seen, file)
    if (Object.keys(now).length === 0) return rmSync(path, { force: true })
    mkdirSync(this.#seen, { recursive: true, mode: 0o700 })
    writeFileSync(`${path}.new`, JSON.stringify(now), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')
