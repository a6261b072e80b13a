import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AppStatus } from '../apps.ts'
import { HostError } from '../error.ts'
import { homeOf } from '../home.ts'
import type { AppFile } from '../parts/apps.ts'
import { AppLog } from './app-log.ts'
import { Exits } from './exits.ts'
import { Releases } from './releases.ts'
import { endOf, keyOf, type Runnable, Running } from './running.ts'
import { appSocket, drained, RunFolder } from './sockets.ts'
import { Standing } from './standing.ts'
import { type AppHost, notTrusted } from './where.ts'

export const runsProcess = ({ kind }: Pick<AppFile, 'kind'>): boolean => kind === 'node' || kind === 'python'

/** One app: brings what runs in line with what was applied, one change after the other, and keeps it running. */
export class App {
  readonly id: string
  readonly account: string
  readonly folder: RunFolder
  readonly #host: AppHost
  readonly #standing: Standing
  readonly #exits = new Exits()
  readonly #ending = new AbortController()
  /** The ports that its next release may have. */
  spare: readonly number[] = []
  #file: AppFile | undefined
  #serving: Running | undefined
  #candidate: Running | undefined
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
    this.#standing = new Standing(host.changed)
    this.folder = new RunFolder(host.root, id)
  }

  get file(): AppFile | undefined {
    return this.#file
  }

  get status(): AppStatus {
    return { id: this.id, ...this.#standing.status }
  }

  /** The ports that it holds. */
  get ports(): number[] {
    const where = [this.#serving?.where, this.#candidate?.where, this.#file?.port]
    return where.map(Number).filter((port) => Number.isSafeInteger(port))
  }

  /** What it is to be like from now on; nothing: it is to be gone. */
  follow(file: AppFile | undefined): void {
    const isSame = JSON.stringify(file) === JSON.stringify(this.#file)
    if (isSame && (this.#turns > 0 || this.#standing.fault === undefined)) return
    this.#file = file
    this.#next()
  }

  restart(): void {
    this.#bump++
    this.#exits.forget()
    this.#next()
  }

  /** Resolves when it is as it was told, or throws why it is not. */
  async settled(signal?: AbortSignal): Promise<void> {
    const [version, enough] = [this.#version, new AbortController()]
    const either = AbortSignal.any([enough.signal, ...(signal ? [signal] : [])])
    await Promise.race([this.#turn, this.#standing.failed(either)]).finally(() => enough.abort())
    signal?.throwIfAborted()
    if (version !== this.#version) return this.settled(signal)
    if (this.#standing.fault !== undefined) throw this.#standing.fault
  }

  /** Starts a release beside the one that serves; it waits, healthy, until it is called current. */
  async prepare(app: Runnable, signal: AbortSignal, output: (bytes: Buffer) => void): Promise<void> {
    await this.dropCandidate()
    this.#candidate = await this.#startHealthy(app, signal, output)
  }

  async dropCandidate(): Promise<void> {
    const dropped = this.#candidate
    this.#candidate = undefined
    await dropped?.kill()
  }

  /** Ends all of it at once, for good. */
  async end(): Promise<void> {
    this.#ending.abort()
    this.#file = undefined
    this.#next()
    await Promise.all([this.#serving?.kill(), this.dropCandidate()])
    await this.#turn
  }

  #next(): void {
    const version = ++this.#version
    this.#standing.clear()
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
        if (version === this.#version) this.#standing.fail(error)
      }
      this.#turns--
    })
  }

  async #converge(signal: AbortSignal): Promise<void> {
    const file = this.#file
    if (!file?.running || file.release === undefined) return this.#stop()
    if (!runsProcess(file)) return this.#show(file)
    if (!this.#host.trusted) {
      this.#standing.tell({ status: 'stopped', reason: notTrusted })
      throw new HostError('stage', notTrusted)
    }
    const app = { ...file, release: file.release, start: file.start! }
    const key = keyOf(app, this.#bump)
    if (this.#serving?.key === key) return this.#show(app)
    if (this.#serving?.where === String(app.port) && !this.#hasCandidate(key)) await this.#stop()
    if (this.#serving || this.#hasCandidate(key)) return this.#replace(app, key, signal)
    return this.#keepUp(app, signal)
  }

  #hasCandidate(key: string): boolean {
    return this.#candidate?.key === key && this.#candidate.process.exit === undefined
  }

  /** What serves goes on until what replaces it is healthy. */
  async #replace(app: Runnable, key: string, signal: AbortSignal): Promise<void> {
    const next = this.#hasCandidate(key) ? this.#candidate! : await this.#startHealthy(app, signal)
    if (this.#candidate === next) this.#candidate = undefined
    const old = this.#serving
    await this.#switchTo(next, app)
    if (!old) return
    await drained(old.where, this.#host.times.drainMs, this.#ending.signal)
    await this.#host.faults('app-drained')
    await old.stop(this.#ending.signal.aborted ? 0 : this.#host.times.graceMs)
  }

  async #startHealthy(app: Runnable, signal: AbortSignal, output?: (bytes: Buffer) => void): Promise<Running> {
    const running = await this.#start(app, output)
    try {
      await this.#host.faults('app-started')
      await running.healthy(app, app.healthTimeoutS * 1000, signal)
      return running
    } catch (error) {
      await running.kill()
      throw error
    }
  }

  /** Starts it when nothing serves, and again, later each time, when it exits. */
  async #keepUp(app: Runnable, signal: AbortSignal): Promise<void> {
    await this.#link(app)
    while (!signal.aborted) {
      if (this.#exits.count > 0) await this.#rest(signal)
      if (signal.aborted) return
      if (!this.#exits.isCrashed) this.#standing.tell({ status: 'starting' })
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

  /** For as long as it lives: a slow one comes up in the end, and its job waits no longer than was said. */
  async #untilHealthy(running: Running, app: Runnable, signal: AbortSignal): Promise<void> {
    for (;;)
      try {
        return await running.healthy(app, app.healthTimeoutS * 1000, signal)
      } catch (error) {
        if (running.process.exit || signal.aborted) throw error
        this.#standing.fail(error)
      }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const wait = this.#host.times.retryMs(this.#exits.count)
    await pause(wait, undefined, { signal }).catch(() => {})
  }

  async #exited(running: Running): Promise<void> {
    this.#exits.add()
    const reason = `The app ${endOf(running.process.exit!)}.`
    this.#standing.tell({ status: this.#exits.isCrashed ? 'crashed' : 'starting', reason })
    if (this.#exits.isCrashed) this.#standing.fail(new HostError('stage', `${reason} It exits again and again.`))
    const wait = this.#host.times.retryMs(this.#exits.count) / 1000
    await this.#log()?.say(`${reason} It is started again in ${wait} s.`)
  }

  async #switchTo(next: Running, app: Runnable): Promise<void> {
    try {
      await this.#host.faults('app-switch')
      await this.#link(app)
      await this.#host.faults('app-linked')
      if (app.listen === 'socket') await this.folder.showAs(next.where)
    } catch (error) {
      await next.kill()
      throw error
    }
    this.#serving = next
    this.#exits.healthy()
    this.#standing.clear()
    this.#standing.tell(this.#served(next))
    void next.process.exited.then(() => this.#lost(next))
    await this.#host.faults('app-switched')
  }

  /** What served has exited by itself. */
  async #lost(running: Running): Promise<void> {
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
    await this.folder.drop(appSocket)
    this.#exits.forget()
    if (this.#file?.release !== undefined) await this.#link(this.#file)
    this.#standing.tell({ status: 'stopped' })
  }

  async #start(app: Runnable, output?: (bytes: Buffer) => void): Promise<Running> {
    let label = String(app.release)
    for (let n = 1; this.#labels.has(label); n++) label = `${app.release}.${n}`
    const key = keyOf(app, this.#bump)
    const log = this.#logOf(app)
    this.#labels.add(label)
    const free = () => this.#labels.delete(label)
    try {
      const running = await Running.start({ root: this.#host.root, app, folder: this.folder, log, label, key, output })
      void running.process.exited.then(free)
      return running
    } catch (error) {
      free()
      throw error
    }
  }

  async #show(file: AppFile): Promise<void> {
    await this.#link(file)
    this.#standing.tell(this.#served({ release: file.release! }))
  }

  readonly #served = ({ release }: { readonly release: number }) => ({ status: 'running', release }) as const

  async #link({ username, name, release }: AppFile): Promise<void> {
    const releases = await Releases.open(join(this.#host.root, homeOf(username)), name)
    try {
      if (!(await releases.has(release!))) throw new HostError('stage', `The files of release ${release} are missing.`)
      await releases.makeCurrent(release!)
    } finally {
      await releases.close()
    }
  }

  #log(): AppLog | undefined {
    return this.#file && this.#logOf(this.#file)
  }

  #logOf({ username, name }: AppFile): AppLog {
    return new AppLog(this.#host.root, username, name)
  }
}
