import { existsSync } from 'node:fs'
import type { AccountName } from '../driver.ts'
import type { Plan } from '../install/plan.ts'
import { isBind, isWeb } from './checks.ts'
import type { Run } from './commands.ts'
import { reloadNginx } from './nginx.ts'
import { Owed } from './owed.ts'
import { type Reload, Reloads } from './reloads.ts'

const systemctl = '/usr/bin/systemctl'
const rndc = '/usr/sbin/rndc'

const webAndDns = (run: Run): Reload[] => [
  { name: 'nginx', reads: isWeb, run: () => reloadNginx(run) },
  {
    name: 'named',
    reads: isBind,
    // New zones first, then what changed in those that it has.
    run: async () => {
      await run(rndc, ['reconfig'])
      await run(rndc, ['reload'])
    },
  },
]

/** Reloads the daemons after changes, and runs each account's own PHP. */
export class Daemons {
  readonly #run: Run
  readonly reloads: Reloads

  constructor(run: Run, more: readonly Reload[] = [], owed = new Owed()) {
    this.#run = run
    this.reloads = new Reloads([...webAndDns(run), ...more], owed)
  }

  /** `more`: files besides those that the plans have changed. */
  async settle(account: AccountName, plans: readonly Plan[], more: readonly string[] = []): Promise<void> {
    const changed = changedBy(plans)
    await this.#php(account, changed)
    await this.reloads.settle([...changed, ...more])
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

  /** The masters open their logs anew; what is under way goes on. */
  async reopenLogs(): Promise<void> {
    for (const units of ['nginx.service', 'panel-php@*.service'])
      await this.#run(systemctl, ['kill', '--signal=USR1', '--kill-whom=main', units], { fine: [1, 5] })
  }

  async stop({ username, uid }: AccountName): Promise<void> {
    await this.#stop(username)
    await this.#run('/usr/bin/pkill', ['-KILL', '-U', String(uid)], { fine: [1], stage: 'remove' })
  }

  async #stop(username: string): Promise<void> {
    await this.#run(systemctl, ['disable', '--now', '--quiet', unitOf(username)], { fine: [1, 5] })
  }
}

export const changedBy = (plans: readonly Plan[]): string[] =>
  plans.flatMap(({ changes }) => changes.map(({ path }) => path))

const unitOf = (username: string): string => `panel-php@${username}.service`
