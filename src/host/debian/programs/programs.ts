import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { KeyedLock } from '../../../shared/lock.ts'
import { hour } from '../../../shared/time.ts'
import type { ProgramRequest } from '../../contract/commands/programs.ts'
import type { HostPrograms } from '../../contract/driver.ts'
import { HostError } from '../../contract/error.ts'
import { linkLife, type ProgramName } from '../../contract/programs.ts'
import type { Keeper } from './keeper.ts'
import { hashOf, LinkFiles } from './links.ts'
import { openers, programPlaces } from './places.ts'
import type { Login, ProgramRecord } from './record.ts'

/** The maximum duration of a session that begins with a link. */
const sessionLife = 8 * hour
const again = 60_000

export interface ProgramsOptions {
  readonly keepers: Readonly<Record<ProgramName, Keeper>>
  readonly record: ProgramRecord
  readonly isSuspended: (username: string) => boolean
  readonly links?: LinkFiles
  readonly root?: string
  readonly now?: () => number
  readonly after?: (ms: number, act: () => void) => () => void
}

const later = (ms: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, ms).unref()
  return () => clearTimeout(timer)
}

/**
 * Links into programs. A link stands for a login with access to one account only, which lasts as long as its sessions;
 * it is a file that the program removes when it lets somebody in.
 */
export class Programs implements HostPrograms {
  readonly #options: ProgramsOptions
  readonly #record: ProgramRecord
  readonly #links: LinkFiles
  readonly #now: () => number
  readonly #lock = new KeyedLock()
  #cancel = (): void => {}

  constructor(options: ProgramsOptions) {
    this.#options = options
    this.#record = options.record
    this.#links = options.links ?? new LinkFiles(options.root)
    this.#now = options.now ?? Date.now
  }

  async openProgram(order: ProgramRequest): Promise<{ readonly token: string }> {
    const opened = await this.#inTurn(() => this.#open(order))
    await this.#keeper(order.program).ready?.()
    return opened
  }

  async #open(order: ProgramRequest): Promise<{ readonly token: string }> {
    const { account, program } = order
    this.#refuse(order)
    const name = this.#keeper(program).nameFor(order)
    const token = randomBytes(32).toString('base64url')
    const link = { hash: hashOf(token), until: this.#now() + linkLife }
    const known = this.#record.find(program, name) ?? this.#newLogin(program, name, account.uid)
    const login = { ...known, links: [...known.links, link] }
    this.#record.keep(login)
    const content = { user: name, password: login.password, until: Math.floor(link.until / 1000) }
    this.#links.put(programPlaces[program], link.hash, content)
    await this.#keeper(program).open(login, account.username, this.#record.of(program))
    return { token }
  }

  #refuse({ account, program }: ProgramRequest): void {
    if (!existsSync(`${this.#options.root ?? ''}${openers[program]}`))
      throw new HostError('unsupported', `This machine does not have ${program}.`)
    if (this.#options.isSuspended(account.username))
      throw new HostError('stage', `${account.username} is suspended on the host.`)
  }

  #newLogin(program: ProgramName, name: string, uid: number): Login {
    const password = randomBytes(24).toString('hex')
    return { program, name, uid, password, crypt: this.#keeper(program).cryptOf?.(password), links: [], until: 0 }
  }

  /** Call when an account may have changed. */
  changed(username: string, uid: number): Promise<void> {
    return this.#inTurn(async () => {
      const all = this.#record.of('phpmyadmin')
      for (const login of all.filter((one) => one.uid === uid))
        await this.#keeper('phpmyadmin').open(login, username, all)
    })
  }

  /** Removes an account's logins. */
  endOf(uid: number): Promise<void> {
    return this.#inTurn(() => this.#end(this.#record.logins.filter((one) => one.uid === uid)))
  }

  /** Removes the logins of mailboxes that were deleted or whose password changed. */
  endMailboxes(addresses: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#end(this.#record.of('webmail').filter(({ name }) => addresses.includes(name))))
  }

  /** Removes expired logins: at start, and whenever one may have expired. */
  sweep(): Promise<void> {
    return this.#inTurn(async () => {})
  }

  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    return this.#lock.run('', async () => {
      try {
        await this.#endOver()
        return await act()
      } finally {
        this.#wakeLater()
      }
    })
  }

  async #endOver(): Promise<void> {
    for (const login of this.#record.logins) {
      const over = login.links.filter(({ until }) => until <= this.#now())
      if (over.length > 0) this.#record.keep(this.#followed(login, over))
    }
    const ended = this.#record.logins.filter(({ links, until }) => links.length === 0 && until <= this.#now())
    // It is retried; the current request must not fail with it.
    await this.#end(ended).catch(warn)
  }

  /** A link that disappeared before its expiry has started a session. */
  #followed(login: Login, over: Login['links']): Login {
    const place = programPlaces[login.program]
    const used = over.filter(({ hash }) => !this.#links.takeBack(place, hash))
    const ends = used.map(({ until }) => until - linkLife + sessionLife)
    return {
      ...login,
      links: login.links.filter((link) => !over.includes(link)),
      until: Math.max(login.until, ...ends),
    }
  }

  async #end(logins: readonly Login[]): Promise<void> {
    for (const login of logins) {
      for (const { hash } of login.links) this.#links.takeBack(programPlaces[login.program], hash)
      const left = this.#record.of(login.program).filter(({ name }) => name !== login.name)
      await this.#keeper(login.program).end(login, left)
      this.#record.drop(login)
    }
  }

  #keeper(program: ProgramName): Keeper {
    return this.#options.keepers[program]
  }

  #wakeLater(): void {
    this.#cancel()
    if (this.#record.logins.length === 0) return
    const ms = Math.min(...this.#record.logins.map(nextTime)) - this.#now()
    this.#cancel = (this.#options.after ?? later)(ms > 0 ? ms : again, () => void this.sweep().catch(warn))
  }
}

/** When the next part of it expires. */
const nextTime = ({ links, until }: Login): number =>
  links.length > 0 ? Math.min(...links.map((link) => link.until)) : until

const warn = ({ message }: Error): void => void process.stderr.write(`warning: ${message}\n`)
