import { existsSync } from 'node:fs'
import { Coalesced } from '../coalesce.ts'
import type { AccountName } from '../driver.ts'
import type { Plan } from '../install/plan.ts'
import { isBind, isWeb } from './checks.ts'
import type { Run } from './commands.ts'

const systemctl = '/usr/bin/systemctl'
const rndc = '/usr/sbin/rndc'

/** Reloads the daemons after changes: one reload of each at a time, and later requests share the next. */
export class Daemons {
  readonly #run: Run
  readonly #nginx: Coalesced
  readonly #named: Coalesced

  constructor(run: Run) {
    this.#run = run
    this.#nginx = new Coalesced(async () => void (await run(systemctl, ['reload', 'nginx'])))
    // New zones first, then what changed in those that it has.
    this.#named = new Coalesced(async () => {
      await run(rndc, ['reconfig'])
      await run(rndc, ['reload'])
    })
  }

  async settle(account: AccountName, plans: readonly Plan[]): Promise<void> {
    const changed = plans.flatMap(({ changes }) => changes.map(({ path }) => path))
    await this.#php(account, changed)
    const waiting = []
    if (changed.some(isWeb)) waiting.push(this.#nginx.run())
    if (changed.some(isBind)) waiting.push(this.#named.run())
    await Promise.all(waiting)
  }

  /** The account's own PHP-FPM runs while it has a pool. */
  async #php({ username }: AccountName, changed: readonly string[]): Promise<void> {
    const pool = `etc/panel/php/${username}.conf`
    const unit = unitOf(username)
    if (!existsSync(`/${pool}`)) return this.#stop(username)
    if (changed.includes(pool)) await this.#run(systemctl, ['reset-failed', unit], { fine: [1] })
    if (changed.includes(pool)) await this.#run(systemctl, ['reload-or-restart', unit])
    await this.#run(systemctl, ['enable', '--now', '--quiet', unit])
  }

  async stop({ username, uid }: AccountName): Promise<void> {
    await this.#stop(username)
    await this.#run('/usr/bin/pkill', ['-KILL', '-U', String(uid)], { fine: [1], stage: 'remove' })
  }

  async #stop(username: string): Promise<void> {
    await this.#run(systemctl, ['disable', '--now', '--quiet', unitOf(username)], { fine: [1, 5] })
  }
}

const unitOf = (username: string): string => `panel-php@${username}.service`
