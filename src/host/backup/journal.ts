import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '../../shared/files.ts'
import type { ReadPart } from '../backups.ts'
import type { Swap } from './home.ts'

const folder = 'var/lib/panel-host/restores'

interface Journal {
  readonly restore: string
  readonly parts: { readonly [Part in ReadPart]?: 'done' | Swap }
}

/** What has become of the last restore of an account: a part that has begun to take its place is never unpacked again. */
export class RestoreJournal {
  readonly #file: string
  #state: Journal

  constructor(root: string, account: string, restore: string) {
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
    this.#file = join(root, folder, `${account}.json`)
    const found = read(this.#file)
    this.#state = found?.restore === restore ? found : { restore, parts: {} }
  }

  of(part: ReadPart): 'done' | Swap | undefined {
    return this.#state.parts[part]
  }

  /** Durable once it returns. */
  write(part: ReadPart, state: 'done' | Swap): void {
    this.#state = { ...this.#state, parts: { ...this.#state.parts, [part]: state } }
    writePrivate(this.#file, JSON.stringify(this.#state))
  }
}

/** With its account. */
export const forgetRestores = (root: string, account: string): void =>
  rmSync(join(root, folder, `${account}.json`), { force: true })

function read(file: string): Journal | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Journal
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
