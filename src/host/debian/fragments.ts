import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assemble } from '../parts/assemble.ts'

/** Each account's share of a shared text; read once, then kept up to date. */
export class Fragments {
  readonly #folder: string
  #known: Map<string, string> | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  changed(name: string): void {
    if (!this.#known) return
    const text = textOf(join(this.#folder, name))
    if (text === undefined) this.#known.delete(name)
    else this.#known.set(name, text)
  }

  of = (name: string): string => this.#all().get(name) ?? ''

  text = (): string => assemble([...this.#all()].map(([name, content]) => ({ name, content })))

  #all(): Map<string, string> {
    if (this.#known) return this.#known
    const names = existsSync(this.#folder) ? readdirSync(this.#folder).filter((name) => !name.startsWith('.')) : []
    this.#known = new Map(names.map((name) => [name, textOf(join(this.#folder, name)) ?? '']))
    return this.#known
  }
}

export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
