import { rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AccountName, AccountState, Difference } from '../../contract/driver.ts'
import type { MailQueue } from '../../mail-queue/select.ts'
import type { Run } from '../commands.ts'
import type { Logins } from '../logins.ts'
import { groupId } from '../names.ts'
import type { Reload } from '../reloads.ts'
import { type EndSessions, mailLogins } from './logins.ts'
import { Maps } from './maps.ts'
import { compileScripts } from './scripts.ts'
import { Submission } from './submission.ts'

const ownFolder = /^etc\/panel\/mail\/(?:sieve|dkim)\.d\/[^/]+\/[^/]+$/

/** Accounts' mail on the machine's own Postfix, Dovecot and OpenDKIM. */
export class Mail {
  readonly #run: Run
  readonly #maps: Maps
  readonly #logins: Logins
  readonly #submission = new Submission()

  /** `ended`: called with mailboxes that were removed or whose password changed. */
  constructor(run: Run, ended?: EndSessions) {
    this.#run = run
    this.#maps = new Maps({ run, groupId })
    this.#logins = mailLogins(run, undefined, undefined, ended)
  }

  reloads(): Reload[] {
    return [...this.#maps.reloads(), this.#logins.reload()]
  }

  listen(): void {
    this.#submission.listen()
  }

  /** Takes up changes of an account's files; returns what else its daemons must read, checking everything if `all`. */
  async changed({ username, uid }: AccountName, paths: readonly string[], all: boolean): Promise<string[]> {
    this.#maps.changed(paths)
    this.#logins.changed(paths)
    this.#submission.changed(username, uid)
    await compileScripts(this.#run, paths)
    for (const path of paths.filter((one) => ownFolder.test(one))) removeEmpty(dirname(`/${path}`))
    return all ? this.#maps.pathsOfStale() : []
  }

  /** Takes up changes of the server's own files. */
  serverChanged(paths: readonly string[]): void {
    this.#maps.changed(paths)
  }

  /** Maps that lack rows of the account. */
  differences({ username }: AccountState): Difference[] {
    return this.#maps
      .stale(username)
      .map((path) => ({ path, change: 'changed', note: `the rows of ${username} are not in it` }))
  }

  /** Maps that differ from all accounts' rows. */
  serverDifferences(): Difference[] {
    return this.#maps
      .stale()
      .map((path) => ({ path, change: 'changed', note: 'it holds other rows than those of the accounts' }))
  }

  pathsOfStale = (): string[] => this.#maps.pathsOfStale()

  refusedDomains = (): string[] => this.#submission.refused.take()

  get queue(): MailQueue {
    return this.#submission.queue
  }

  sentBy(username: string): number | undefined {
    return this.#submission.sentBy(username)
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty, or is gone.
  }
}
