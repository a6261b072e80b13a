import { createHash } from 'node:crypto'
import { closeSync, fchownSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { userNamed } from '../names.ts'
import { linksIn, type ProgramPlace } from './places.ts'

/** A link's data, as the program reads it. */
export interface LinkContent {
  readonly user: string
  readonly password: string
  /** In seconds. */
  readonly until: number
}

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Links as files of the program that redeems them: it renames a file first, so that a link works only once. */
export class LinkFiles {
  readonly #root: string
  readonly #uidOf: (user: string) => number | undefined

  constructor(root = '', uidOf = (user: string) => userNamed(user)?.uid) {
    this.#root = root
    this.#uidOf = uidOf
  }

  put(place: ProgramPlace, hash: string, content: LinkContent): void {
    const uid = this.#uidOf(place.user)
    if (uid === undefined) throw new Error(`There is no user ${place.user}.`)
    const path = this.#path(place, hash)
    rmSync(`${path}.new`, { force: true })
    // The folder belongs to the program: follow nothing that it may have put there.
    const file = openSync(`${path}.new`, 'wx', 0o600)
    try {
      fchownSync(file, uid, uid)
      writeSync(file, JSON.stringify(content))
    } finally {
      closeSync(file)
    }
    renameSync(`${path}.new`, path)
  }

  /** Revokes a link; returns whether it was still there. */
  takeBack(place: ProgramPlace, hash: string): boolean {
    try {
      rmSync(this.#path(place, hash))
      return true
    } catch {
      return false
    }
  }

  #path(place: ProgramPlace, hash: string): string {
    return `${this.#root}${linksIn(place)}/${hash}`
  }
}
