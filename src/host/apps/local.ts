import { join } from 'node:path'
import type { DeployRequest } from '../contract/commands/apps.ts'
import { homeOf } from '../homes/home-paths.ts'
import type { FailPoint } from '../install/engine.ts'
import { environmentOf } from '../tenant/environment.ts'
import { AppLog } from './app-log.ts'
import type { AppOwner, AppRun, AppRunner, BuiltRelease, Launch, MakeDoing } from './app-runner.ts'
import { ask, type Heard, type Question } from './health.ts'
import { makeRelease } from './make.ts'
import { AppProcess, endNoted } from './process.ts'
import { onReleases, type ReleaseAct } from './releases.ts'
import { appMark, beforeStart, openPlace, pathOf, programsOf } from './runnable.ts'
import { RunFolder } from './sockets.ts'

interface AppLocation {
  readonly root: string
  readonly trusted: boolean
  readonly onFailPoint: FailPoint
}

/** Apps as child processes of this one, with its privileges. */
export class LocalApps implements AppRunner {
  readonly outlives: boolean = false
  readonly #place: AppLocation

  constructor(place: AppLocation) {
    this.#place = place
  }

  folder(app: string): RunFolder {
    return new RunFolder(this.#place.root, app)
  }

  log(username: string, app: string): AppLog {
    return new AppLog(this.#place.root, username, app)
  }

  async takeUp(app: string): Promise<[]> {
    const folder = this.folder(app)
    for (const name of await folder.names()) if (name.endsWith('.process')) await endNoted(folder.at(name))
    await folder.remove()
    return []
  }

  async tidy(): Promise<void> {}

  async make(order: DeployRequest, doing: MakeDoing): Promise<BuiltRelease> {
    const folder = this.folder(order.app.id)
    await folder.make()
    return makeRelease({ host: this.#place, order, separate: folder.at(`${order.release}.git`), ...doing })
  }

  releases({ username }: AppOwner, app: string, act: ReleaseAct): Promise<void> {
    return onReleases(this.#place.root, { username, app }, act)
  }

  async start({ app, folder, log, label, where, output }: Launch): Promise<AppRun> {
    const { root } = this.#place
    const cwd = pathOf(root, app)
    const place = await openPlace(root, app)
    const mark = appMark(root, app.account, app.id)
    const tenant = environmentOf({ username: app.username, home: join(root, homeOf(app.username)), mark })
    return AppProcess.start({
      command: app.start,
      before: beforeStart(app.kind),
      cwd: place.place(Buffer.from('.')).toString(),
      env: { ...tenant, ...programsOf(app.kind, cwd, tenant), ...app.env, PORT: where },
      mark,
      note: folder.note(label),
      output: (bytes) => {
        output?.(bytes)
        return log.add(bytes)
      },
    }).finally(() => place.close())
  }

  ask(_: AppOwner, question: Question, signal: AbortSignal): Promise<Heard> {
    return ask(question, signal)
  }

  async guard(): Promise<void> {}
}
