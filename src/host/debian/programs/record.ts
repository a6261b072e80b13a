import { readFileSync } from 'node:fs'
import type { ProgramName } from '../../programs.ts'
import { put } from '../put.ts'

/** A link that has not expired. */
export interface OpenLink {
  /** SHA-256 of its token. */
  readonly hash: string
  readonly until: number
}

/** A log-in that is made for sessions which begin with a link. */
export interface Login {
  readonly program: ProgramName
  readonly name: string
  readonly uid: number
  readonly password: string
  /** What a file of log-ins has in place of the password. */
  readonly crypt?: string | undefined
  readonly links: readonly OpenLink[]
  /** When the last session that began with one of its links is over. */
  readonly until: number
}

interface Content {
  readonly logins: readonly Login[]
  /** Users of SQL that went on as authors of views and the like. */
  readonly authors: readonly number[]
}

/** The log-ins that are there, kept over a restart. */
export class ProgramRecord {
  readonly #file: string
  #content: Content

  constructor(root = '') {
    this.#file = `${root}/var/lib/panel-host/programs.json`
    this.#content = { logins: [], authors: [], ...read(this.#file) }
  }

  get logins(): readonly Login[] {
    return this.#content.logins
  }

  of(program: ProgramName): readonly Login[] {
    return this.logins.filter((login) => login.program === program)
  }

  find(program: ProgramName, name: string): Login | undefined {
    return this.of(program).find((login) => login.name === name)
  }

  /** In place of the one of its name. */
  keep(login: Login): void {
    this.#write({ logins: [...this.#without(login), login] })
  }

  drop(login: Login): void {
    this.#write({ logins: this.#without(login) })
  }

  isAuthor(uid: number): boolean {
    return this.#content.authors.includes(uid)
  }

  noteAuthor(uid: number, isOne: boolean): void {
    if (this.isAuthor(uid) === isOne) return
    const others = this.#content.authors.filter((one) => one !== uid)
    this.#write({ authors: isOne ? [...others, uid] : others })
  }

  #without({ program, name }: Login): Login[] {
    return this.logins.filter((one) => one.program !== program || one.name !== name)
  }

  #write(change: Partial<Content>): void {
    this.#content = { ...this.#content, ...change }
    put(this.#file, JSON.stringify(this.#content), 0o600)
  }
}

function read(file: string): Partial<Content> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
