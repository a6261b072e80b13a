import { existsSync } from 'node:fs'
import { textOf } from '../fragments.ts'
import { groupId } from '../names.ts'
import { writeFile } from '../write-file.ts'
import { programSenders, submitDir } from './places.ts'
import { sendersText, type Tenant, type TenantList } from './tenants.ts'

export interface SubmitListsOptions {
  readonly tenants: TenantList
  /** Whether an account has reached its limit for now. */
  readonly isOver: (tenant: Tenant) => boolean
  readonly root?: string
}

/** What programs are told at once: that the limit is reached, and which senders they must not use. */
export class SubmitLists {
  readonly #options: SubmitListsOptions
  #sendersChanged = true

  constructor(options: SubmitListsOptions) {
    this.#options = options
  }

  sendersChanged(): void {
    this.#sendersChanged = true
  }

  /** A full disk must not end the agent, which retries within a minute. */
  write(): void {
    const folder = `${this.#options.root ?? ''}${submitDir}`
    try {
      if (existsSync(folder)) this.#writeBoth(folder)
    } catch (error) {
      process.stderr.write(`error: the lists in ${folder} could not be written: ${(error as Error).message}\n`)
    }
  }

  #writeBoth(folder: string): void {
    const { tenants, isOver, root = '' } = this.#options
    const all = [...tenants.all()]
    const over = all.filter(isOver).map(({ username }) => `${username} over\n`)
    write(`${folder}/over`, over.sort().join(''), 0o644)
    if (!this.#sendersChanged) return
    const { path, mode, group } = programSenders
    write(`${root}${path}`, sendersText(all), mode, groupId(group))
    this.#sendersChanged = false
  }
}

function write(path: string, text: string, mode: number, gid?: number): void {
  if (textOf(path) !== text) writeFile(path, text, mode, gid)
}
