import { readFileSync } from 'node:fs'
import type { ProgramName } from '../../contract/programs.ts'
import { writeFile } from '../write-file.ts'

/** An unexpired link. */
export interface OpenLink {
  /** SHA-256 of its token. */
  readonly hash: string
  readonly until: number
}

/** A login made for the sessions that links begin. */
export interface Login {
  readonly program: ProgramName
  readonly name: string
  readonly uid: number
  readonly password: string
  /** The hash in a login file, in place of the password. */
  readonly crypt?: string | undefined
  readonly links: readonly OpenLink[]
  /** When the last session of its links ends. */
  readonly until: number
}

interface ProgramsRecord {
  readonly logins: readonly Login[]
  /** SQL users kept because they authored views and the like. */
  readonly authors: readonly number[]
}

/** The current logins, kept across restarts. */
export class ProgramRecord {
  readonly #file: string
  #content: ProgramsRecord

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

  /** Replaces the one with the same name. */
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

  #write(change: Partial<ProgramsRecord>): void {
    this.#content = { ...this.#content, ...change }
    writeFile(this.#file, JSON.stringify(this.#content), 0o600)
  }
}

function read(file: string): Partial<ProgramsRecord> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
