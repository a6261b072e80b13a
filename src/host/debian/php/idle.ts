import { existsSync, readFileSync, rmSync } from 'node:fs'
import { accountOfApacheUnit } from '../../parts/apache/units.ts'
import { unitFolder } from '../../parts/php/units.ts'
import type { Run } from '../commands.ts'
import { confFolder, confOf, serviceUnit, setOfUnit, socketUnit } from './masters.ts'

const systemctl = '/usr/bin/systemctl'
const fine = [1, 5]
const POLL_INTERVAL_MS = 20_000
/** nginx's former workers may still pass on requests that they had begun to read. */
const DRAIN_MS = 60_000

interface Master {
  readonly unit: string
  readonly group: string
  readonly requests: string
}

interface IdleOptions {
  readonly now?: () => number
  readonly root?: string
}

interface Quiet {
  readonly requests: string
  /** Since when nothing has been asked of it. */
  readonly since: number
}

const valueIn = (block: string, name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(block)?.[1] ?? ''

/**
 * Ends masters of PHP without requests: PHP-FPM has no idle exit. Their sockets go on listening, so that the next
 * request starts them again. Masters and sockets that no configuration mentions any more go once they are idle.
 */
export class IdleMasters {
  readonly #run: Run
  readonly #now: () => number
  readonly #root: string
  readonly #quiet = new Map<string, Quiet>()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(run: Run, { now = () => performance.now(), root = '' }: IdleOptions = {}) {
    this.#run = run
    this.#now = now
    this.#root = root
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.#turn = this.#turn.then(() => this.sweep()).catch(warn)
    }, POLL_INTERVAL_MS).unref()
  }

  async sweep(): Promise<void> {
    const masters = await this.#masters()
    const known = new Set(masters.map(({ unit }) => unit))
    for (const unit of this.#quiet.keys()) if (!known.has(unit) && unit.endsWith('.service')) this.#quiet.delete(unit)
    // One that fails must not keep the others.
    for (const master of masters) await this.#end(master).catch(warn)
    await this.#closeSockets()
  }

  async #masters(): Promise<Master[]> {
    const output = await this.#show(['panel-php-*.service', 'panel-php@*.service'])
    return output.map((block) => ({
      unit: valueIn(block, 'Id'),
      group: valueIn(block, 'ControlGroup'),
      requests: /Requests: (\d+)/.exec(valueIn(block, 'StatusText'))?.[1] ?? '',
    }))
  }

  /** Active units. */
  async #show(patterns: readonly string[]): Promise<string[]> {
    const words = ['show', '--property=Id,ActiveState,StatusText,ControlGroup', ...patterns]
    const output = await this.#run(systemctl, words, { fine })
    return output.split('\n\n').filter((block) => valueIn(block, 'ActiveState') === 'active')
  }

  async #end({ unit, group, requests }: Master): Promise<void> {
    const former = this.#quiet.get(unit)
    const isBusy = this.#processes(group) !== 1
    const quiet = isBusy || former?.requests !== requests ? { requests, since: this.#now() } : former
    this.#quiet.set(unit, quiet)
    const allowed = this.#allowedMs(unit)
    if (isBusy || allowed === undefined || this.#now() - quiet.since < allowed) return
    await (this.#isMentioned(unit) ? this.#stop(unit) : this.#retire(unit))
  }

  /** A stop also ends the command of a reload that is under way, which systemd counts as a failure of the master. */
  async #stop(unit: string): Promise<void> {
    await this.#run(systemctl, ['stop', unit], { fine })
    await this.#run(systemctl, ['reset-failed', unit], { fine })
  }

  /** Its processes besides scripts: one, the master, while it is idle. */
  #processes(group: string): number {
    for (const place of ['', '/systemd', '/unified']) {
      const file = `${this.#root}/sys/fs/cgroup${place}${group}/cgroup.procs`
      if (existsSync(file)) return readFileSync(file, 'utf8').split('\n').filter(Boolean).length
    }
    return 0
  }

  /** How long it may be idle; undefined: for ever. */
  #allowedMs(unit: string): number | undefined {
    if (!this.#isMentioned(unit)) return DRAIN_MS
    const set = setOfUnit(unit)
    if (!set) return undefined
    const conf = readFileSync(`${this.#root}/${confOf(set)}`, 'utf8')
    const minutes = Number(/^; panel ends it after (\d+) idle minutes$/m.exec(conf)?.[1] ?? 0)
    return minutes === 0 ? undefined : minutes * 60_000
  }

  #isMentioned(unit: string): boolean {
    if (accountOfApacheUnit(unit)) return existsSync(`${this.#root}/${unitFolder}/${unit}`)
    const set = setOfUnit(unit)
    const former = /^panel-php@(.+)\.service$/.exec(unit)?.[1]
    const conf = set ? confOf(set) : `${confFolder}/${former}.conf`
    return existsSync(`${this.#root}/${conf}`)
  }

  async #retire(unit: string): Promise<void> {
    const set = setOfUnit(unit)
    if (set) await this.#run(systemctl, ['stop', socketUnit(set)], { fine })
    await this.#stop(unit)
    this.#quiet.delete(unit)
  }

  /** Sockets whose master does not run. */
  async #closeSockets(): Promise<void> {
    const sockets = (await this.#show(['panel-php-*.socket', 'panel-site-*.socket'])).map((block) =>
      valueIn(block, 'Id'),
    )
    for (const unit of this.#quiet.keys())
      if (unit.endsWith('.socket') && !sockets.includes(unit)) this.#quiet.delete(unit)
    for (const unit of sockets) await this.#close(unit).catch(warn)
  }

  async #close(unit: string): Promise<void> {
    const set = setOfUnit(unit)
    const isRunning = set !== undefined && this.#quiet.has(serviceUnit(set))
    if (this.#isMentioned(unit) || isRunning) return void this.#quiet.delete(unit)
    const { since } = this.#quiet.get(unit) ?? { since: this.#now() }
    this.#quiet.set(unit, { requests: '', since })
    if (this.#now() - since < DRAIN_MS) return
    // Of Apache, its proxy goes with it, and so does Apache itself.
    const proxy = set ? [] : [unit.replace(/socket$/, 'service')]
    await this.#run(systemctl, ['stop', unit, ...proxy], { fine })
    this.#quiet.delete(unit)
    rmSync(`${this.#root}/etc/systemd/system/sockets.target.wants/${unit}`, { force: true })
  }
}

const warn = ({ message }: Error): void => void process.stderr.write(`warning: idle PHP: ${message}\n`)
