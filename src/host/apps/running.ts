import { createHash } from 'node:crypto'
import { HostError } from '../contract/error.ts'
import type { AppFile } from '../parts/apps.ts'
import type { AppRun, AppRunner, Exit, Launch, Left } from './app-runner.ts'
import { isHealthy, problemOf, untilHealthy } from './health.ts'
import type { RunFolder } from './sockets.ts'

/** A change of this needs a new process. */
export const keyOf = ({ release, start, root, listen, port, username, env }: AppFile, bump: number): string =>
  createHash('sha256')
    .update(JSON.stringify([bump, release, start, root, listen, port, username, Object.entries(env).sort()]))
    .digest('hex')

export interface Beginning extends Omit<Launch, 'where'> {
  readonly runner: AppRunner
}

interface Begun {
  readonly release: number
  readonly key: string
  readonly label: string
  readonly where: string
  readonly folder: RunFolder
  readonly runner: AppRunner
}

/** A release's process, and where it listens. */
export class RunningApps {
  readonly release: number
  readonly key: string
  readonly label: string
  readonly where: string
  readonly process: AppRun
  /** Resolves when it has ended with all its descendants. */
  readonly gone: Promise<void>
  readonly #runner: AppRunner

  private constructor({ release, key, label, where, folder, runner }: Begun, process: AppRun) {
    this.release = release
    this.key = key
    this.label = label
    this.where = where
    this.process = process
    this.gone = process.exited.then(() => folder.clear(label))
    this.#runner = runner
  }

  /** A process from before this agent. */
  static of(left: Left, folder: RunFolder, runner: AppRunner): RunningApps {
    return new RunningApps({ ...left, folder, runner }, left.run)
  }

  static async start(beginning: Beginning): Promise<RunningApps> {
    const { app, folder, label, runner } = beginning
    const where = app.listen === 'port' ? String(app.port) : folder.socket(label)
    await folder.make(label, app.uid)
    const process = await runner.start({ ...beginning, where })
    return new RunningApps({ ...beginning, release: app.release, where }, process)
  }

  /** Resolves when it is healthy; throws a message if it ends first or takes too long. */
  async healthy(app: AppFile, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { host, healthPath, listen } = app
    const enough = new AbortController()
    const late = setTimeout(() => enough.abort(), timeoutMs)
    const either = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal
    const question = { where: this.where, host, path: healthPath }
    const request = untilHealthy((signal) => this.#runner.ask(app, question, signal), either)
    const heard = await Promise.race([request, this.process.exited]).finally(() => clearTimeout(late))
    enough.abort()
    signal?.throwIfAborted()
    if (typeof heard === 'object') throw new HostError('stage', `The app ${endOf(heard)} before it was healthy.`)
    if (isHealthy(heard)) return
    const time = `${Math.round(timeoutMs / 1000)} s`
    throw new HostError('stage', `The app was not healthy within ${time}: ${problemOf(heard, healthPath, listen)}.`)
  }

  async stop(graceMs: number): Promise<void> {
    await this.process.stop(graceMs)
    await this.gone
  }

  async kill(): Promise<void> {
    await this.process.kill()
    await this.gone
  }
}

/** How it ended, for a message. */
export const endOf = ({ code, signal }: Exit): string =>
  signal ? `was killed by ${signal}` : code === 0 ? 'exited' : `exited with code ${code}`
