import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pending reloads, kept across a crash between writing files and the reload. */
export class PendingReloads {
  readonly #folder: string
  readonly #count = new Map<string, number>()

  constructor(folder = '/var/lib/panel-host/owed') {
    this.#folder = folder
  }

  note(name: string): void {
    this.#count.set(name, this.countOf(name) + 1)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.#folder, name), '')
  }

  /** How often it was noted here; what is noted during a reload stays owed. */
  countOf(name: string): number {
    return this.#count.get(name) ?? 0
  }

  names(): string[] {
    try {
      return readdirSync(this.#folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  paid(name: string, count: number): void {
    if (this.countOf(name) === count) rmSync(join(this.#folder, name), { force: true })
  }
}
