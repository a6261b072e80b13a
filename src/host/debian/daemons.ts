import { setTimeout } from 'node:timers/promises'
import { allSettled } from '../../shared/async/all-settled.ts'
import type { AccountName } from '../contract/driver.ts'
import type { Plan } from '../install/plan.ts'
import { isBind, isWeb, zoneOf } from './checks.ts'
import type { Run } from './commands.ts'
import { reloadNginx } from './nginx.ts'
import { PendingReloads } from './pending-reloads.ts'
import { PhpMasters } from './php/masters.ts'
import { endAllOf } from './processes.ts'
import { type Reload, Reloads } from './reloads.ts'

const rndc = '/usr/sbin/rndc'
/** Above this many zones, reload all of them at once. */
const MAX_CONCURRENT_CHECKS = 20

/** Makes named read its files: first new zones, then changed ones. */
export async function reloadNamed(run: Run, paths: ReadonlySet<string> | undefined): Promise<void> {
  const zones = paths && [...paths].flatMap((path) => zoneOf(path) ?? [])
  if (!zones || zones.length > MAX_CONCURRENT_CHECKS) {
    await run(rndc, ['reconfig'])
    await run(rndc, ['reload'])
    return
  }
  if (paths.size > zones.length) await run(rndc, ['reconfig'])
  await Promise.all(zones.map((zone) => reloadZone(run, zone)))
}

const MAX_ZONE_RELOADS = 50
const RELOAD_INTERVAL_MS = 100

/** `rndc` returns once the reload is queued: it is asked again until named has read the file and would answer from it. */
async function reloadZone(run: Run, zone: string): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ZONE_RELOADS; attempt++) {
    // A removed zone is unknown by now.
    const output = await run(rndc, ['reload', zone], { fine: [1] })
    if (!output.includes('queued')) return
    await setTimeout(RELOAD_INTERVAL_MS)
  }
}

const systemctl = '/usr/bin/systemctl'

const webAndDns = (run: Run): Reload[] => [
  { name: 'nginx', reads: isWeb, run: () => reloadNginx(run) },
  { name: 'named', reads: isBind, run: (paths) => reloadNamed(run, paths) },
]

interface Settling {
  readonly more?: readonly string[]
  readonly php?: 'serve' | 'stop' | undefined
}

/** Reloads the daemons after changes, and manages each account's own PHP. */
export class Daemons {
  readonly #run: Run
  readonly reloads: Reloads
  readonly php: PhpMasters

  constructor(run: Run, more: readonly Reload[] = [], pending = new PendingReloads()) {
    this.#run = run
    this.php = new PhpMasters(run)
    this.reloads = new Reloads([...webAndDns(run), ...more], pending)
  }

  /**
   * `more`: changed files besides those of the plans. `php`: what becomes of the account's own PHP; its sockets listen
   * before nginx uses them.
   */
  async settle(account: AccountName, plans: readonly Plan[], { more = [], php }: Settling = {}): Promise<void> {
    const changed = changedBy(plans)
    await allSettled([
      php === 'stop' ? this.php.stop(account.username) : undefined,
      this.#serve(account, changed, php).finally(() => this.reloads.settle([...changed, ...more])),
    ])
  }

  async #serve(account: AccountName, changed: readonly string[], php: Settling['php']): Promise<void> {
    if (php === 'serve') await this.php.settle(account, changed)
  }

  async stop({ username, uid }: AccountName): Promise<void> {
    await this.php.stop(username)
    await endAllOf(uid)
  }

  /** The master processes reopen their logs without interrupting requests. */
  async reopenLogs(): Promise<void> {
    await this.#run(systemctl, ['kill', '--signal=USR1', '--kill-whom=main', 'nginx.service'], { fine: [1, 5] })
    await this.php.reopenLogs()
  }
}

export const changedBy = (plans: readonly Plan[]): string[] =>
  plans.flatMap(({ changes }) => changes.map(({ path }) => path))
