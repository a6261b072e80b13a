import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { allSettled } from '../../shared/async/all-settled.ts'
import type { AccountName, Difference } from '../contract/driver.ts'
import type { Plan } from '../install/plan.ts'
import { isBind, isWeb, zoneOf } from './checks.ts'
import type { Run } from './commands.ts'
import { removeSockets, socketTemplate, unitsOfSocket } from './db/sockets.ts'
import { reloadNginx } from './nginx.ts'
import { PendingReloads } from './pending-reloads.ts'
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
  // A removed zone is unknown by now.
  await Promise.all(zones.map((zone) => run(rndc, ['reload', zone], { fine: [1] })))
}

const systemctl = '/usr/bin/systemctl'

const webAndDns = (run: Run): Reload[] => [
  { name: 'nginx', reads: isWeb, run: () => reloadNginx(run) },
  { name: 'named', reads: isBind, run: (paths) => reloadNamed(run, paths) },
]

interface Settling {
  readonly more?: readonly string[]
  readonly php?: boolean
}

/** Reloads the daemons after changes, and manages each account's own PHP. */
export class Daemons {
  readonly #run: Run
  readonly reloads: Reloads

  constructor(run: Run, more: readonly Reload[] = [], pending = new PendingReloads()) {
    this.#run = run
    this.reloads = new Reloads([...webAndDns(run), ...more], pending)
  }

  /** `more`: changed files besides those of the plans. `php`: whether to manage the account's PHP. */
  async settle(account: AccountName, plans: readonly Plan[], { more = [], php = true }: Settling = {}): Promise<void> {
    const changed = changedBy(plans)
    await allSettled([php ? this.#php(account, changed) : undefined, this.reloads.settle([...changed, ...more])])
  }

  /** The account's own PHP-FPM runs as long as it has a pool. */
  async #php({ username }: AccountName, changed: readonly string[]): Promise<void> {
    const pool = poolOf(username)
    const unit = unitOf(username)
    if (!existsSync(`/${pool}`)) return this.#stop(username)
    if (!isEnabled(unit)) enable(unit)
    // systemd does not restart a unit that hit its start limit until that is reset.
    const start = async (verb: string) => {
      await this.#run(systemctl, ['reset-failed', unit], { fine: [1] })
      await this.#run(systemctl, [verb, unit])
    }
    const verb = changed.includes(pool) ? 'reload-or-restart' : 'start'
    await this.#run(systemctl, [verb, unit]).catch(() => start(verb))
    await this.#openSocket(username)
  }

  /** PHP asks for it when it starts; later it may have failed. */
  async #openSocket(username: string): Promise<void> {
    if (existsSync(socketTemplate)) await this.#run(systemctl, ['start', unitsOfSocket(username)[0]!])
  }

  /** The account's PHP-FPM and its sockets, if they should run but do not. */
  async differences({ username }: AccountName): Promise<Difference[]> {
    if (!existsSync(`/${poolOf(username)}`)) return []
    const all = [
      unitOf(username),
      ...(existsSync(`${units}/panel-cgi@.socket`) ? [`panel-cgi@${username}.socket`] : []),
      ...(existsSync(socketTemplate) ? unitsOfSocket(username).slice(0, 1) : []),
    ]
    const input = await this.#run(systemctl, ['show', '--property=ActiveState', '--value', ...all])
    const states = input.split('\n').filter((line) => line !== '')
    return all.flatMap((path, at) => {
      const state = states[at] ?? 'unknown'
      return running.includes(state) ? [] : [{ path, change: 'missing', note: `is ${state}` } as const]
    })
  }

  /** The master processes reopen their logs without interrupting requests. */
  async reopenLogs(): Promise<void> {
    for (const units of ['nginx.service', 'panel-php@*.service'])
      await this.#run(systemctl, ['kill', '--signal=USR1', '--kill-whom=main', units], { fine: [1, 5] })
  }

  async stop({ username, uid }: AccountName): Promise<void> {
    await this.#stop(username)
    await endAllOf(uid)
  }

  async #stop(username: string): Promise<void> {
    const unit = unitOf(username)
    rmSync(request(unit), { force: true })
    await this.#run(systemctl, ['stop', unit, ...unitsOfSocket(username)], { fine: [1, 5] })
    removeSockets(username)
  }
}

export const changedBy = (plans: readonly Plan[]): string[] =>
  plans.flatMap(({ changes }) => changes.map(({ path }) => path))

const running = ['active', 'reloading']
const units = '/etc/systemd/system'
const wants = `${units}/multi-user.target.wants`
const request = (unit: string): string => `${wants}/${unit}`
const isEnabled = (unit: string): boolean => existsSync(request(unit))

/** Creates the same link as `systemctl enable` for a template instance, without the time it takes. */
function enable(unit: string): void {
  mkdirSync(wants, { recursive: true })
  rmSync(request(unit), { force: true })
  symlinkSync(`${units}/panel-php@.service`, request(unit))
}

const poolOf = (username: string): string => `etc/panel/php/${username}.conf`
const unitOf = (username: string): string => `panel-php@${username}.service`
