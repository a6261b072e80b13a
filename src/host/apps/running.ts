import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { HostError } from '../error.ts'
import { type Directory, holding } from '../home/directory.ts'
import { homeOf } from '../home.ts'
import type { AppFile } from '../parts/apps.ts'
import { runMarkOf } from '../tenant/mark.ts'
import { downTo } from './defaults.ts'
import type { AppGround, AppRun, Exit, Launch, Left } from './ground.ts'
import { faultOf, isHealthy, untilHealthy } from './health.ts'
import { nameOf, Releases } from './releases.ts'
import type { RunFolder } from './sockets.ts'

/** An app with the release that is to run. */
export type Runnable = AppFile & { readonly release: number; readonly start: string }

export const pathOf = (root: string, { username, name, release, root: below }: Runnable): string =>
  join(root, homeOf(username), 'apps', name, 'releases', String(release), below)

/** Where a release runs, held open: no link on the way is followed. */
export async function openPlace(root: string, app: Runnable): Promise<Directory> {
  const releases = await Releases.open(join(root, homeOf(app.username)), app.name)
  try {
    if (!(await releases.has(app.release)))
      throw new HostError('stage', `The files of release ${app.release} are missing.`)
    const found = await holding(releases.down(nameOf(app.release)), (release) => downTo(release, app.root))
    if (found) return found
    throw new HostError('stage', `The directory ${app.root} is missing in release ${app.release}.`)
  } finally {
    await releases.close()
  }
}

/** Marks of what runs for an app; none is the beginning of another. */
export const appMark = (root: string, account: string, app: string): string =>
  runMarkOf(root, account, `${app}/${randomBytes(6).toString('hex')}`)

/** Scripts of a virtual environment name their own place: they follow when it has moved. */
export const followsPlace =
  'if [ -f .venv/.panel-path ]; then p=$(cat .venv/.panel-path); if [ "$p" != "$PWD" ]; then ' +
  'find .venv/bin -type f -exec sed -i "s|$p|$PWD|g" {} + && printf %s "$PWD" > .venv/.panel-path; fi; fi; '

/** Programs that a release brings come first. */
export function programsOf(kind: AppFile['kind'], cwd: string, { PATH }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return kind === 'python' ? { PATH: `${cwd}/.venv/bin:${PATH}` } : {}
}

/** Another process is needed where this differs. */
export const keyOf = ({ release, start, root, listen, port, username, env }: AppFile, bump: number): string =>
  createHash('sha256')
    .update(JSON.stringify([bump, release, start, root, listen, port, username, Object.entries(env).sort()]))
    .digest('hex')

export interface Beginning extends Omit<Launch, 'where'> {
  readonly ground: AppGround
}

interface Begun {
  readonly release: number
  readonly key: string
  readonly label: string
  readonly where: string
  readonly folder: RunFolder
  readonly ground: AppGround
}

/** A process of a release, and where it listens. */
export class Running {
  readonly release: number
  readonly key: string
  readonly label: string
  readonly where: string
  readonly process: AppRun
  /** Resolves when it has ended and nothing of it is left. */
  readonly gone: Promise<void>
  readonly #ground: AppGround

  private constructor({ release, key, label, where, folder, ground }: Begun, process: AppRun) {
    this.release = release
    this.key = key
    this.label = label
    this.where = where
    this.process = process
    this.gone = process.exited.then(() => folder.clear(label))
    this.#ground = ground
  }

  /** What ran before this agent did. */
  static of(left: Left, folder: RunFolder, ground: AppGround): Running {
    return new Running({ ...left, folder, ground }, left.run)
  }

  static async start(beginning: Beginning): Promise<Running> {
    const { app, folder, label, ground } = beginning
    const where = app.listen === 'port' ? String(app.port) : folder.socket(label)
    await folder.make(label, app.uid)
    const process = await ground.start({ ...beginning, where })
    return new Running({ ...beginning, release: app.release, where }, process)
  }

  /** Resolves when it answers; throws a sentence when it ends before, or it takes too long. */
  async healthy(app: AppFile, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { host, healthPath, listen } = app
    const enough = new AbortController()
    const late = setTimeout(() => enough.abort(), timeoutMs)
    const either = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal
    const question = { where: this.where, host, path: healthPath }
    const asked = untilHealthy((signal) => this.#ground.ask(app, question, signal), either)
    const heard = await Promise.race([asked, this.process.exited]).finally(() => clearTimeout(late))
    enough.abort()
    signal?.throwIfAborted()
    if (typeof heard === 'object') throw new HostError('stage', `The app ${endOf(heard)} before it was healthy.`)
    if (isHealthy(heard)) return
    const time = `${Math.round(timeoutMs / 1000)} s`
    throw new HostError('stage', `The app was not healthy within ${time}: ${faultOf(heard, healthPath, listen)}.`)
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

/** How it ended, for a sentence. */
export const endOf = ({ code, signal }: Exit): string =>
  signal ? `was killed by ${signal}` : code === 0 ? 'exited' : `exited with code ${code}`
