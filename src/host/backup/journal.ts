import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '../../shared/files.ts'
import type { ReadPart } from '../contract/backups.ts'
import type { Definer } from './definer.ts'
import type { Swap } from './home.ts'

/** Of restores of backups, and of imports of dumps. */
const folders = { restore: 'var/lib/panel-host/restores', import: 'var/lib/panel-host/imports' } as const

interface Journal {
  readonly restore: string
  readonly parts: { readonly [Part in ReadPart]?: 'done' | Swap }
  readonly databases?: Readonly<Record<string, 'done' | Copied>>
}

/** A database whose former content was saved to a file: from here on it is being recreated. */
export interface Copied {
  readonly definers: readonly Definer[]
}

/** The progress of an account's last restore: a part whose swap has begun is never unpacked again. */
export class RestoreJournal {
  /** Where a database's former content is kept until it is recreated; created on demand. */
  readonly folder: string
  readonly #file: string
  #state: Journal

  constructor(root: string, account: string, restore: string, of: keyof typeof folders = 'restore') {
    this.folder = join(root, folders[of], account)
    mkdirSync(join(root, folders[of]), { recursive: true, mode: 0o700 })
    this.#file = `${this.folder}.json`
    const found = read(this.#file)
    this.#state = found?.restore === restore ? found : { restore, parts: {} }
  }

  of(part: ReadPart): 'done' | Swap | undefined {
    return this.#state.parts[part]
  }

  /** Durable on return. */
  write(part: ReadPart, state: 'done' | Swap): void {
    this.#state = { ...this.#state, parts: { ...this.#state.parts, [part]: state } }
    writePrivate(this.#file, JSON.stringify(this.#state))
  }

  ofDatabase(name: string): 'done' | Copied | undefined {
    return this.#state.databases?.[name]
  }

  /** Durable on return. */
  writeDatabase(name: string, state: 'done' | Copied | undefined): void {
    const { [name]: _, ...others } = this.#state.databases ?? {}
    this.#state = { ...this.#state, databases: state === undefined ? others : { ...others, [name]: state } }
    writePrivate(this.#file, JSON.stringify(this.#state))
  }
}

/** Called when the account is removed. */
export function forgetRestores(root: string, account: string): void {
  for (const folder of Object.values(folders)) {
    rmSync(join(root, folder, `${account}.json`), { force: true })
    rmSync(join(root, folder, account), { recursive: true, force: true })
  }
}

function read(file: string): Journal | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Journal
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
