import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KeyedLock } from '../../shared/lock.ts'
import { type AppUnit, deployShares } from '../contract/apps.ts'
import type {
  AppName,
  AppSettling,
  AppStatus,
  AppStatuses,
  Deployed,
  DeployRequest,
} from '../contract/commands/apps.ts'
import type { Doing } from '../contract/commands/index.ts'
import type { AccountState, Difference, HostApps } from '../contract/driver.ts'
import { HostError } from '../contract/error.ts'
import { withUserMessage } from '../install/user-message.ts'
import { type AppFile, appFolder } from '../parts/apps.ts'
import { Lines } from '../tenant/lines.ts'
import { App, runsProcess } from './app.ts'
import type { AppOwner, Left } from './app-runner.ts'
import { BuildLog } from './build-log.ts'
import { type AppHost, notTrusted } from './config.ts'
import { hintIn } from './hints.ts'
import { secretsOf } from './secrets.ts'
import { appsRunning, freePort } from './sockets.ts'

type Setting = Omit<AppHost, 'changed' | 'guarded'>

/** The apps of all accounts of a host. */
export class Apps implements HostApps {
  readonly #host: AppHost
  readonly #apps = new Map<string, App>()
  readonly #lock = new KeyedLock()
  readonly #deploys = new Map<AbortController, DeployRequest>()
  readonly #boot = randomUUID()
  readonly #waiting = new Set<() => void>()
  #changes = 0
  #closed = false

  constructor(setting: Setting) {
    this.#host = { ...setting, changed: () => this.#changed(), guarded: () => this.#guard() }
  }

  /** Adopts what outlived the last agent, ends what a crash left, and starts what should run. */
  async recover(): Promise<void> {
    const { runner, root } = this.#host
    for (const app of this.#apps.values()) await app.end()
    this.#apps.clear()
    this.#closed = false
    const files = filesIn(join(root, appFolder))
    const left = new Map<string, readonly Left[]>()
    for (const id of await appsRunning(root)) left.set(id, await runner.takeUp(id))
    for (const file of files) this.#of(file.id, file.account).takeUp(file, left.get(file.id) ?? [])
    for (const [id, runs] of left) if (!this.#apps.has(id)) await this.#clean(id, runs)
    await runner.tidy()
    await this.#guard().catch(warn)
    for (const file of files) this.#of(file.id, file.account).follow(file)
  }

  #guard(): Promise<void> {
    return this.#host.runner.guard([...this.#apps.values()].flatMap(({ ownedPorts: taken }) => taken))
  }

  async #clean(id: string, runs: readonly Left[]): Promise<void> {
    for (const { run } of runs) await run.kill()
    await this.#host.runner.folder(id).remove()
  }

  /** Removes the logs of deleted apps: another account may get the name. */
  async forget({ username, parts }: AccountState): Promise<void> {
    for (const { name } of parts.apps.gone) await this.#host.runner.log(username, name).remove()
  }

  /** Reconciles an account's apps with its state; does not wait for them. */
  follow({ id: account, username, uid, suspended, parts }: AccountState): void {
    const request = suspended ? [] : parts.apps.apps
    for (const app of request) this.#of(app.id, account).follow({ account, username, uid, ...app })
  }

  /** Kills at once what an account may no longer run; `kill` ends everything with its mark. */
  async end(account: string, stays: (app: string) => boolean, kill: () => Promise<void>): Promise<void> {
    const gone = this.#ofAccount(account).filter(({ id }) => !stays(id))
    for (const [deploy, order] of this.#deploys)
      if (order.account.id === account && !stays(order.app.id)) deploy.abort()
    const ends = gone.map((app) => app.end())
    await kill()
    await Promise.all(ends)
    for (const app of gone) {
      await this.#lock.run(app.id, async () => app.folder.remove())
      this.#apps.delete(app.id)
    }
    if (gone.length === 0) return
    this.#changed()
    await this.#guard().catch(warn)
  }

  #ofAccount(account: string): App[] {
    return [...this.#apps.values()].filter((app) => app.account === account)
  }

  async deployApp(order: DeployRequest, options: Doing = {}): Promise<Deployed> {
    const stop = new AbortController()
    const signal = options.signal ? AbortSignal.any([stop.signal, options.signal]) : stop.signal
    this.#deploys.set(stop, order)
    try {
      return await this.#lock.run(order.app.id, () =>
        withUserMessage('stage', () => this.#deploy(order, signal, options.progress)),
      )
    } catch (error) {
      if (stop.signal.aborted) throw new HostError('stage', 'The deploy was stopped: the app may not run any more.')
      throw error
    } finally {
      this.#deploys.delete(stop)
    }
  }

  async #deploy(order: DeployRequest, signal: AbortSignal, progress: Doing['progress']): Promise<Deployed> {
    signal.throwIfAborted()
    if (runsProcess(order.app) && !this.#host.trusted) throw new HostError('stage', notTrusted)
    const log = new BuildLog(secretsOf(order), (line, share) => progress?.(line, share))
    const app = this.#of(order.app.id, order.account.id)
    await app.dropCandidate()
    const made = await this.#host.runner.make(order, { log, signal })
    log.share = deployShares.check
    try {
      const port = runsProcess(order.app) ? await this.#begin(app, order, made.root, log, signal) : undefined
      await this.#host.onFailPoint('release-healthy')
      // Its owner's programs ran meanwhile: what goes live must still be where it was made.
      const { account, app: unit, release } = order
      await this.#host.runner.releases(account, unit.name, { act: 'find', release, root: made.root })
      return { ...made, ...(port !== undefined && { port }) }
    } catch (error) {
      await app.dropCandidate()
      if (order.source.kind !== 'retained') await this.#remove(order).catch(() => {})
      throw error
    }
  }

  #remove({ account, app, release }: DeployRequest): Promise<void> {
    return this.#host.runner.releases(account, app.name, { act: 'remove', release })
  }

  /** Starts a release; returns its port if it listens on one. */
  async #begin(
    app: App,
    { account, app: unit, release }: DeployRequest,
    root: string,
    log: BuildLog,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { id, username, uid } = account
    const lines = new Lines(40_960, log.line)
    const port = unit.listen === 'port' ? await this.#portFor(app) : undefined
    log.line('Starting the release.')
    const { start } = unit
    if (start === undefined) throw new HostError('stage', 'The app has no command that starts it.')
    const file = { ...unit, account: id, username, uid, root, start, release, port }
    await app
      .prepare(file, signal, (bytes) => lines.add(bytes))
      .finally(() => lines.end())
      .catch((error: unknown) => {
        throw error instanceof HostError ? new HostError(error.stage, error.message + hintIn(log.last, unit)) : error
      })
    log.line('The release is healthy.')
    return port
  }

  /** An app alternates between two ports. */
  #portFor(app: App): Promise<number> {
    return this.#lock.run('ports', async () => {
      const taken = new Set([...this.#apps.values()].flatMap(({ ports }) => ports))
      const port = await freePort(app.spare, taken)
      app.spare = [port, ...app.ports]
      return port
    })
  }

  settleApp({ app: { id, name, account }, keep }: AppSettling, { signal }: Doing = {}): Promise<AppStatus> {
    return this.#lock.run(id, async () => {
      const app = this.#known(id, name)
      const settling = app.settled(signal)
      await settling.finally(() => app.dropCandidate())
      await this.#guard().catch(warn)
      if (keep) await this.#prune(account, name, [...keep, app.file?.release ?? 0])
      return app.status
    })
  }

  async #prune(owner: AppOwner, name: string, releases: readonly number[]): Promise<void> {
    await this.#host.runner.releases(owner, name, { act: 'keep', releases })
    await this.#host.onFailPoint('releases-pruned')
  }

  restartApp({ id, name }: AppName, { signal }: Doing = {}): Promise<AppStatus> {
    return this.#lock.run(id, async () => {
      const app = this.#known(id, name)
      if (runsProcess(app.file!)) app.restart()
      await app.settled(signal)
      return app.status
    })
  }

  /** How an account's running apps differ from its state. */
  differences({ id: account, suspended, parts }: AccountState): Difference[] {
    const request = new Map((suspended ? [] : parts.apps.apps).map((app) => [app.id, app]))
    const missing = [...request.values()].filter((app) => isToRun(app) && !this.#runs(app.id))
    const surplus = this.#ofAccount(account).filter(({ id }) => this.#runs(id) && !request.get(id)?.running)
    return [
      ...missing.map(({ name }) => differenceOf(name, 'missing')),
      ...surplus.map(({ file }) => differenceOf(file?.name ?? '', 'surplus')),
    ]
  }

  #runs(id: string): boolean {
    return this.#apps.get(id)?.isServing ?? false
  }

  async appStatus({ after }: { readonly after?: string | undefined }, { signal }: Doing = {}): Promise<AppStatuses> {
    if (after === this.#at()) await this.#change(signal)
    signal?.throwIfAborted()
    return { at: this.#at(), items: [...this.#apps.values()].filter(({ file }) => file).map(({ status }) => status) }
  }

  /** Prevents further starts. */
  close(): void {
    this.#closed = true
    for (const app of this.#apps.values()) {
      if (this.#host.runner.outlives) app.leave()
      else void app.end()
    }
  }

  #at(): string {
    return `${this.#boot}:${this.#changes}`
  }

  #changed(): void {
    this.#changes++
    for (const wake of [...this.#waiting]) wake()
  }

  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal?.addEventListener('abort', wake)
    })
  }

  #of(id: string, account: string): App {
    if (this.#closed) throw new HostError('stage', 'The host agent is about to end.')
    const app = this.#apps.get(id) ?? new App(this.#host, id, account)
    this.#apps.set(id, app)
    return app
  }

  #known(id: string, name: string): App {
    const app = this.#apps.get(id)
    if (app?.file?.name === name) return app
    throw new HostError('stage', 'The app is not on this host yet: it must be applied first.')
  }
}

/** The applied apps; the next apply reports what cannot be read. */
function filesIn(folder: string): AppFile[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as AppFile)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Programs are started all the same; what must not be reachable without the guard is not. */
const warn = ({ message }: Error): void => console.warn(message)

const isToRun = (app: AppUnit): boolean => runsProcess(app) && app.running && app.release !== undefined

const differenceOf = (name: string, change: 'missing' | 'surplus'): Difference => ({
  path: `app:${name}`,
  change,
  note: change === 'missing' ? 'it does not run' : 'it runs',
})
