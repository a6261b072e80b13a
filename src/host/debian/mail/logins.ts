import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Run } from '../commands.ts'
import type { Reload } from '../reloads.ts'

const folder = 'etc/panel/mail/passwd.d'
const passwd = /^etc\/panel\/mail\/passwd\.d\/[^/]+$/
/** Beyond so many of one domain, all of it is told at once. */
const oneByOne = 20

type Logins = Readonly<Record<string, string>>

/** Ends the IMAP and POP3 sessions of mailboxes that went, or whose password is another one now. */
export class MailLogins {
  readonly #run: Run
  readonly #root: string
  readonly #seen: string
  readonly #changed = new Set<string>()

  constructor(run: Run, root = '/') {
    this.#run = run
    this.#root = root
    this.#seen = join(root, 'var/lib/panel-host/logins')
  }

  changed(paths: readonly string[]): void {
    for (const path of paths.filter((one) => passwd.test(one))) this.#changed.add(basename(path))
  }

  readonly reload = (): Reload => ({
    name: 'logins',
    reads: (path) => passwd.test(path),
    run: async () => {
      const domains = this.#changed.size > 0 ? [...this.#changed] : this.#all()
      this.#changed.clear()
      for (const domain of domains) await this.#compare(domain)
    },
  })

  /** After a crash it is not known which have changed. */
  #all(): string[] {
    const names = (path: string) => (existsSync(path) ? readdirSync(path) : [])
    return [...new Set([...names(join(this.#root, folder)), ...names(this.#seen)])].filter(
      (one) => !one.startsWith('.'),
    )
  }

  async #compare(domain: string): Promise<void> {
    const [before, now] = [this.#before(domain), this.#now(domain)]
    const ended = Object.keys(before).filter((local) => before[local] !== now[local])
    const masks = ended.length > oneByOne ? ['*'] : ended
    for (const local of masks) await this.#run('/usr/bin/doveadm', ['kick', `${local}@${domain}`], { fine: [67, 68] })
    this.#remember(domain, now)
  }

  #before(domain: string): Logins {
    const path = join(this.#seen, domain)
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  }

  /** What tells one password from another, and is none. */
  #now(domain: string): Logins {
    const path = join(this.#root, folder, domain)
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
    const logins = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(':'))
    return Object.fromEntries(logins.map(([local = '', hash = '']) => [local, digest(hash)]))
  }

  #remember(domain: string, now: Logins): void {
    const path = join(this.#seen, domain)
    if (Object.keys(now).length === 0) return rmSync(path, { force: true })
    mkdirSync(this.#seen, { recursive: true, mode: 0o700 })
    writeFileSync(`${path}.new`, JSON.stringify(now), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')
