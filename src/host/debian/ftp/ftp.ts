import { existsSync, lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { AccountName, Difference, FtpSession } from '../../contract/driver.ts'
import type { Run } from '../commands.ts'
import { Fragments, textOf } from '../fragments.ts'
import type { Logins } from '../logins.ts'
import { makePrivateLog } from '../private-log.ts'
import type { Reload } from '../reloads.ts'
import { writeFile } from '../write-file.ts'
import { endSessions, ftpLogins } from './logins.ts'
import { editing, ftpLists, transferLog } from './places.ts'
import { entries, sessionOf } from './scoreboard.ts'

const folder = 'etc/panel/ftp/passwd.d'
const listMode = 0o600

/** SFTP logins are rooted in the home itself, which no tenant can replace by a symlink. */
const inHome = (text: string): string => text.replaceAll(/^(.*::\/home\/[^/:]+)(?:\/[^:]*)?(:[^:]*)$/gm, '$1$2')

/** Accounts' logins on the machine's own ProFTPD, which reads them at each login. */
export class Ftp {
  readonly #run: Run
  readonly #root: string
  readonly #fragments: Fragments
  readonly #logins: Logins

  constructor(run: Run, root = '/') {
    this.#run = run
    this.#root = root
    this.#fragments = new Fragments(join(root, folder))
    this.#logins = ftpLogins(run, root)
  }

  /** New lists first: ended sessions must not be able to log in again by the old ones. */
  reloads(): Reload[] {
    const logins = this.#logins.reload()
    return [{ ...logins, run: (paths) => this.#apply().then(() => logins.run(paths)) }]
  }

  /** Takes up changes of an account's files; returns what to correct, checking everything if `all`. */
  changed(paths: readonly string[], all: boolean): string[] {
    for (const path of paths) if (dirname(path) === folder) this.#fragments.changed(basename(path))
    this.#logins.changed(paths)
    return all && this.#stale().length > 0 ? [`${folder}/_`] : []
  }

  /** Starts the next log: each session opens it anew. */
  openLog(): void {
    if (this.#isThere()) makePrivateLog(join(this.#root, transferLog))
  }

  /** Of all accounts. */
  async sessions(): Promise<FtpSession[]> {
    return (await entries(this.#run, this.#root)).flatMap((entry) => sessionOf(entry) ?? [])
  }

  /** Call before the account's processes are killed. */
  async endSessions({ username }: AccountName): Promise<void> {
    const logins = this.#fragments.of(username).match(/^[^:\n]+(?=:)/gm) ?? []
    await endSessions(this.#run, logins, this.#root)
  }

  differences({ username }: AccountName): Difference[] {
    const of = { ftp: this.#fragments.of(username), sftp: inHome(this.#fragments.of(username)) }
    const missing = (['ftp', 'sftp'] as const).filter((kind) => !this.#text(kind).includes(of[kind]))
    return missing.map((kind) => ({
      path: ftpLists[kind],
      change: 'changed',
      note: `the logins of ${username} are not in it`,
    }))
  }

  /** Lists that do not match all accounts' logins, or that others than root can read. */
  serverDifferences(): Difference[] {
    return this.#stale().map((path) => ({
      path,
      change: 'changed',
      note: 'it holds other lines than the logins of the accounts, or not root alone reads it',
    }))
  }

  #stale(): string[] {
    const request = { ftp: this.#fragments.text(), sftp: inHome(this.#fragments.text()) }
    const all = (['ftp', 'sftp'] as const).filter((kind) => this.#isThere() && !this.#isAs(kind, request[kind]))
    return all.map((kind) => ftpLists[kind])
  }

  #isAs(kind: keyof typeof ftpLists, text: string): boolean {
    const stats = lstatSync(join(this.#root, ftpLists[kind]), { throwIfNoEntry: false })
    const isOwn = stats?.uid === process.getuid?.() && ((stats?.mode ?? 0) & 0o7777) === listMode
    return isOwn && this.#text(kind) === text
  }

  #isThere = (): boolean => existsSync(join(this.#root, dirname(ftpLists.ftp)))

  #text = (kind: keyof typeof ftpLists): string => textOf(join(this.#root, ftpLists[kind])) ?? ''

  async #apply(): Promise<void> {
    if (!this.#isThere()) return
    const lists = { ftp: this.#fragments.text(), sftp: inHome(this.#fragments.text()) }
    for (const kind of ['ftp', 'sftp'] as const) {
      const path = join(this.#root, ftpLists[kind])
      await editing.run(path, async () => writeFile(path, lists[kind], listMode))
    }
  }
}
