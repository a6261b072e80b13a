import { setTimeout as pause } from 'node:timers/promises'
import type { AppStatus } from '../contract/commands/apps.ts'
import { HostError } from '../contract/error.ts'
import type { AppFile } from '../parts/apps.ts'
import type { AppLog } from './app-log.ts'
import type { Left, PortOwner } from './app-runner.ts'
import { AppStatusTracker } from './app-status.ts'
import { type AppHost, notTrusted } from './config.ts'
import { Exits } from './exits.ts'
import type { Runnable } from './runnable.ts'
import { endOf, keyOf, RunningApps } from './running.ts'
import { drained, type RunFolder } from './sockets.ts'

export const runsProcess = ({ kind }: Pick<AppFile, 'kind'>): boolean => kind === 'node' || kind === 'python'

const isStarted = (file: AppFile): file is Runnable => file.release !== undefined && file.start !== undefined

/** One app: reconciles what runs with what was applied, one change at a time, and keeps it running. */
export class App {
  readonly id: string
  readonly account: string
  readonly folder: RunFolder
  readonly #host: AppHost
  readonly #state: AppStatusTracker
  readonly #exits = new Exits()
  readonly #ending = new AbortController()
  /** The ports that its next release may use. */
  spare: readonly number[] = []
  #file: AppFile | undefined
  #uid = 0
  /** The port that is about to be listened on. */
  #opening: number | undefined
  #serving: RunningApps | undefined
  #candidate: RunningApps | undefined
  /** The names of sockets that a process may still remove. */
  readonly #labels = new Set<string>()
  #version = 0
  #bump = 0
  #wake = new AbortController()
  #turn: Promise<void> = Promise.resolve()
  #turns = 0

  constructor(host: AppHost, id: string, account: string) {
    this.id = id
    this.account = account
    this.#host = host
    this.#state = new AppStatusTracker(host.changed)
    this.folder = host.runner.folder(id)
  }

  get file(): AppFile | undefined {
    return this.#file
  }

  get status(): AppStatus {
    return { id: this.id, ...this.#state.status }
  }

  /** Adopts what ran before this agent: the serving process, and the one to take over; the rest is ended. */
  takeUp(file: AppFile, left: readonly Left[]): void {
    this.#uid = file.uid
    const running = left.map((one) => ({ ...one, running: RunningApps.of(one, this.folder, this.#host.runner) }))
    this.#bump = Math.max(this.#bump, ...left.map(({ bump }) => bump))
    for (const {
      label,
      running: { gone },
    } of running)
      this.#label(label, gone)
    const serving = running.findLast(({ serves }) => serves)
    const isNext = ({ key, serves }: Left) => !serves && isStarted(file) && key === keyOf(file, this.#bump)
    const next = running.findLast(isNext)
    for (const one of running)
      if (one !== serving && one !== next) void one.running.stop(one.serves ? this.#host.times.graceMs : 0)
    this.#candidate = next?.running
    this.#serving = serving?.running
    if (this.#serving) this.#watch(this.#serving)
  }

  /** The ports that it holds. */
  get ports(): number[] {
    const where = [this.#serving?.where, this.#candidate?.where, this.#file?.port, this.#opening]
    return where.map(Number).filter((port) => Number.isSafeInteger(port))
  }

  /** Those ports, with their owner. */
  get ownedPorts(): PortOwner[] {
    return [...new Set(this.ports)].map((port) => ({ port, uid: this.#uid }))
  }

  get isServing(): boolean {
    return this.#serving !== undefined
  }

  /** Sets its desired state; undefined to remove it. */
  follow(file: AppFile | undefined): void {
    const isSame = JSON.stringify(file) === JSON.stringify(this.#file)
    if (isSame && (this.#turns > 0 || this.#state.error === undefined)) return
    this.#file = file
    this.#next()
  }

  restart(): void {
    this.#bump++
    this.#exits.forget()
    this.#next()
  }

  /** Resolves when it is as applied, or throws why it is not. */
  async settled(signal?: AbortSignal): Promise<void> {
    const [version, enough] = [this.#version, new AbortController()]
    const either = AbortSignal.any([enough.signal, ...(signal ? [signal] : [])])
    await Promise.race([this.#turn, this.#state.failed(either)]).finally(() => enough.abort())
    signal?.throwIfAborted()
    if (version !== this.#version) return this.settled(signal)
    if (this.#state.error !== undefined) throw this.#state.error
  }

  /** Starts a release beside the serving one; once healthy, it waits to be made current. */
  async prepare(app: Runnable, signal: AbortSignal, output: (bytes: Buffer) => void): Promise<void> {
    await this.dropCandidate()
    this.#candidate = await this.#startHealthy(app, signal, output)
  }

  async dropCandidate(): Promise<void> {
    const dropped = this.#candidate
    this.#candidate = undefined
    await dropped?.kill()
  }

  /** Kills all of it at once, for good. */
  async end(): Promise<void> {
    this.#ending.abort()
    this.#file = undefined
    this.#opening = undefined
    this.#next()
    await Promise.all([this.#serving?.kill(), this.dropCandidate()])
    await this.#turn
  }

  /** Stops supervising; its processes go on. */
  leave(): void {
    this.#ending.abort()
    this.#version++
    this.#wake.abort()
    this.#file = undefined
  }

  #next(): void {
    const version = ++this.#version
    this.#state.clear()
    this.#wake.abort()
    this.#wake = new AbortController()
    this.#inTurn(version, this.#wake.signal)
  }

  #inTurn(version: number, signal: AbortSignal): void {
    this.#turns++
    this.#turn = this.#turn.then(async () => {
      try {
        if (version === this.#version) await this.#converge(signal)
      } catch (error) {
        if (version === this.#version) this.#state.fail(error)
      }
      this.#turns--
    })
  }

  async #converge(signal: AbortSignal): Promise<void> {
    const file = this.#file
    if (!file?.running || file.release === undefined) return this.#stop()
    if (!runsProcess(file)) return this.#show(file)
    if (!this.#host.trusted) {
      this.#state.notify({ status: 'stopped', reason: notTrusted })
      throw new HostError('stage', notTrusted)
    }
    if (!isStarted(file)) throw new HostError('stage', 'The app has no command that starts it.')
    const app = file
    const key = keyOf(app, this.#bump)
    if (this.#serving?.key === key) return this.#show(app)
    if (this.#serving?.where === String(app.port) && !this.#hasCandidate(key)) await this.#stop()
    if (this.#serving || this.#hasCandidate(key)) return this.#replace(app, key, signal)
    return this.#keepUp(app, signal)
  }

  #hasCandidate(key: string): boolean {
    return this.#candidate?.key === key && this.#candidate.process.exit === undefined
  }

  /** The serving process goes on until its replacement is healthy. */
  async #replace(app: Runnable, key: string, signal: AbortSignal): Promise<void> {
    const next = this.#hasCandidate(key) ? this.#candidate! : await this.#startHealthy(app, signal)
    if (this.#candidate === next) this.#candidate = undefined
    const old = this.#serving
    await this.#switchTo(next, app)
    if (!old) return
    await drained(old.where, this.#host.times.drainMs, this.#ending.signal)
    await this.#host.onFailPoint('app-drained')
    await old.stop(this.#ending.signal.aborted ? 0 : this.#host.times.graceMs)
  }

  async #startHealthy(app: Runnable, signal: AbortSignal, output?: (bytes: Buffer) => void): Promise<RunningApps> {
    const running = await this.#start(app, output)
    try {
      await this.#host.onFailPoint('app-started')
      await running.healthy(app, app.healthTimeoutS * 1000, signal)
      return running
    } catch (error) {
      await running.kill()
      throw error
    } finally {
      await running.process.drained()
    }
  }

  /** Starts it if nothing serves, and restarts it with backoff when it exits. */
  async #keepUp(app: Runnable, signal: AbortSignal): Promise<void> {
    await this.#link(app)
    while (!signal.aborted) {
      if (this.#exits.count > 0) await this.#rest(signal)
      if (signal.aborted) return
      if (!this.#exits.isCrashed) this.#state.notify({ status: 'starting' })
      const running = await this.#start(app)
      try {
        await this.#untilHealthy(running, app, signal)
        return await this.#switchTo(running, app)
      } catch (error) {
        const hasExited = running.process.exit !== undefined
        await running.kill()
        if (signal.aborted || !hasExited) throw error
        await this.#exited(running)
      }
    }
  }

  /** For as long as it lives: a slow one comes up in the end, and its job waits no longer than its timeout. */
  async #untilHealthy(running: RunningApps, app: Runnable, signal: AbortSignal): Promise<void> {
    for (;;)
      try {
        return await running.healthy(app, app.healthTimeoutS * 1000, signal)
      } catch (error) {
        if (running.process.exit || signal.aborted) throw error
        this.#state.fail(error)
      }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const wait = this.#host.times.retryMs(this.#exits.count)
    await pause(wait, undefined, { signal }).catch(() => {})
  }

  async #exited(running: RunningApps): Promise<void> {
    this.#exits.add()
    const reason = `The app ${endOf(running.process.exit!)}.`
    this.#state.notify({ status: this.#exits.isCrashed ? 'crashed' : 'starting', reason })
    if (this.#exits.isCrashed) this.#state.fail(new HostError('stage', `${reason} It exits again and again.`))
    const wait = this.#host.times.retryMs(this.#exits.count) / 1000
    await this.#log()?.say(`${reason} It is started again in ${wait} s.`)
  }

  async #switchTo(next: RunningApps, app: Runnable): Promise<void> {
    try {
      await this.#host.onFailPoint('app-switch')
      await this.#link(app)
      await this.#host.onFailPoint('app-linked')
      if (app.listen === 'socket') await this.folder.showAs(next.where, app.uid)
      await next.process.serves()
    } catch (error) {
      await next.kill()
      throw error
    }
    this.#serving = next
    this.#exits.healthy()
    this.#state.clear()
    this.#state.notify(this.#served(next))
    this.#watch(next)
    await this.#host.onFailPoint('app-switched')
  }

  #watch(serving: RunningApps): void {
    void serving.gone.then(() => this.#lost(serving))
  }

  /** The serving process has exited by itself. */
  async #lost(running: RunningApps): Promise<void> {
    if (this.#serving !== running) return
    this.#serving = undefined
    if (!this.#file?.running) return
    await this.#exited(running)
    this.#inTurn(this.#version, this.#wake.signal)
  }

  async #stop(): Promise<void> {
    const serving = this.#serving
    this.#serving = undefined
    await serving?.stop(this.#ending.signal.aborted ? 0 : this.#host.times.graceMs)
    await this.folder.hide()
    this.#exits.forget()
    if (this.#file?.release !== undefined) await this.#link(this.#file)
    this.#state.notify({ status: 'stopped' })
  }

  async #start(app: Runnable, output?: (bytes: Buffer) => void): Promise<RunningApps> {
    let label = String(app.release)
    for (let n = 1; this.#labels.has(label); n++) label = `${app.release}.${n}`
    const { runner } = this.#host
    const [key, bump, log] = [keyOf(app, this.#bump), this.#bump, this.#logOf(app)]
    this.#labels.add(label)
    try {
      if (app.port !== undefined) await this.#guard(app)
      const running = await RunningApps.start({ runner, app, folder: this.folder, log, label, key, bump, output })
      this.#label(label, running.gone)
      return running
    } catch (error) {
      this.#labels.delete(label)
      throw error
    }
  }

  async #guard({ port, uid }: Runnable): Promise<void> {
    this.#uid = uid
    this.#opening = port
    await this.#host.guarded()
  }

  #label(label: string, gone: Promise<void>): void {
    this.#labels.add(label)
    void gone.then(() => this.#labels.delete(label))
  }

  async #show(file: AppFile): Promise<void> {
    await this.#link(file)
    this.#state.notify(this.#served({ release: file.release! }))
  }

  readonly #served = ({ release }: { readonly release: number }) => ({ status: 'running', release }) as const

  #link(app: AppFile): Promise<void> {
    return this.#host.runner.releases(app, app.name, { act: 'show', release: app.release! })
  }

  #log(): AppLog | undefined {
    return this.#file && this.#logOf(this.#file)
  }

  #logOf({ username, name }: AppFile): AppLog {
    return this.#host.runner.log(username, name)
  }
}
