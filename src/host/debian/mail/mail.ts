import { rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AccountName, AccountState, Difference } from '../../contract/driver.ts'
import type { MailQueue } from '../../mail-queue/select.ts'
import { MailTrace } from '../../mail-trace/trace.ts'
import type { Run } from '../commands.ts'
import type { Logins } from '../logins.ts'
import { groupId } from '../names.ts'
import type { Reload } from '../reloads.ts'
import type { Suite } from '../suite.ts'
import { type EndSessions, mailLogins } from './logins.ts'
import { Maps } from './maps.ts'
import { mailLog, traceFile } from './places.ts'
import { compileScripts } from './scripts.ts'
import { Submission } from './submission.ts'

const READ_INTERVAL_MS = 1000
const REPORT_INTERVAL_MS = 3_600_000
const ownFolder = /^etc\/panel\/mail\/(?:sieve|dkim)\.d\/[^/]+\/[^/]+$/

/** Accounts' mail on the machine's own Postfix, Dovecot and OpenDKIM. */
export class Mail {
  readonly #run: Run
  readonly #maps: Maps
  readonly #logins: Logins
  #following: NodeJS.Timeout | undefined
  readonly #submission = new Submission((id) => this.trace.attemptsOf(id))
  /** What became of messages. */
  readonly trace: MailTrace

  /** `ended`: called with mailboxes that were removed or whose password changed; `line`: with each line of the log. */
  constructor(run: Run, dovecot?: Suite['dovecot'], ended?: EndSessions, line: (line: string) => void = () => {}) {
    this.#run = run
    this.trace = new MailTrace({
      ...{ logs: dirname(mailLog), file: traceFile, owners: this.#submission.tenants, now: Date.now, line },
    })
    this.#maps = new Maps({ run, groupId, dovecot })
    this.#logins = mailLogins(run, undefined, undefined, ended)
  }

  reloads(): Reload[] {
    return [...this.#maps.reloads(), this.#logins.reload()]
  }

  listen(): void {
    this.#submission.listen()
    this.#following ??= follow(this.trace)
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

/** Reads on each second; an error is reported once an hour, as it is likely to stay. */
function follow(trace: MailTrace): NodeJS.Timeout {
  let reported = 0
  const read = () =>
    trace.read().catch(({ message }: Error) => {
      if (Date.now() - reported < REPORT_INTERVAL_MS) return
      reported = Date.now()
      process.stderr.write(`error: the mail log could not be read: ${message}\n`)
    })
  return setInterval(() => void read(), READ_INTERVAL_MS).unref()
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty, or is gone.
  }
}
