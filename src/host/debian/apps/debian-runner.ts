import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppLog } from '../../apps/app-log.ts'
import type {
  AppOwner,
  AppRun,
  AppRunner,
  BuiltRelease,
  Launch,
  Left,
  MakeDoing,
  PortOwner,
} from '../../apps/app-runner.ts'
import type { Heard, Question } from '../../apps/health.ts'
import type { ReleaseAct } from '../../apps/releases.ts'
import { appMark } from '../../apps/runnable.ts'
import type { DeployRequest } from '../../contract/commands/apps.ts'
import { HostError } from '../../contract/error.ts'
import type { Run } from '../commands.ts'
import { toBecome, withPipedOutput } from '../output.ts'
import type { Workers } from '../worker/pool.ts'
import { writeFile } from '../write-file.ts'
import { build } from './build.ts'
import { OwnedFolder } from './folder.ts'
import { launchText } from './launch.ts'
import { LogReader } from './log-reader.ts'
import { endHolders } from './port-holders.ts'
import { Ports } from './ports.ts'
import { UnitProcess } from './process.ts'
import { appUnits, unitWords } from './unit.ts'
import { Units } from './units.ts'

/** What the next agent must know about a running release. */
interface Note extends Omit<Left, 'run'> {
  readonly username: string
  /** The app's name. */
  readonly app: string
  readonly unit: string
  /** Its start time, to find the latest. */
  readonly begun: number
}

const writeNote = (path: string, note: Note): void => writeFile(path, `${JSON.stringify(note)}\n`, 0o600)

/** An incomplete note is ignored. */
async function readNote(path: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Note
  } catch {
    return undefined
  }
}

export interface DebianPlace {
  readonly root?: string
  readonly run: Run
  readonly workers: Workers
  /** The command that starts Node.js to build a release. */
  readonly builder: readonly string[]
  readonly graceMs: number
}

/** The unit that mounts the sockets' directory, written by `panel host setup`. */
const mount = 'etc/systemd/system/run-panel\\x2dapps.mount'

/** Apps as systemd units, each in its account's slice, with its account's privileges. */
export class DebianApps implements AppRunner {
  readonly outlives = true
  readonly ports: Ports
  readonly #place: DebianPlace
  readonly #units: Units
  readonly #root: string
  readonly #taken = new Set<string>()

  constructor(place: DebianPlace) {
    this.#place = place
    this.#root = place.root ?? '/'
    this.ports = new Ports(place.run)
    this.#units = new Units(place.run)
  }

  folder(app: string): OwnedFolder {
    return new OwnedFolder(this.#root, app)
  }

  log(username: string, app: string): AppLog {
    return new AppLog(this.#root, username, app, { isInUse: true })
  }

  async takeUp(app: string): Promise<readonly Left[]> {
    const folder = this.folder(app)
    const all = await folder.names()
    for (const name of all) if (name.endsWith('.launch')) await folder.drop(name)
    const names = all.filter((name) => name.endsWith('.json'))
    const notes = (await Promise.all(names.map((name) => readNote(folder.at(name))))).flatMap((note) => note ?? [])
    const left = await Promise.all(notes.map((note) => this.#left(note, folder)))
    return left.flatMap((one) => one ?? []).sort((one, other) => one.begun - other.begun)
  }

  async #left(note: Note, folder: OwnedFolder): Promise<(Note & Left) | undefined> {
    const { pid } = await this.#units.state(note.unit)
    if (pid === undefined) return void (await folder.clear(note.label))
    this.#taken.add(note.unit)
    const log = this.log(note.username, note.app)
    return { ...note, run: this.#process(note, folder, pid, new LogReader(log, undefined)) }
  }

  /** Units without a note were interrupted. */
  async tidy(): Promise<void> {
    const others = (await this.#units.all()).filter((unit) => !this.#taken.has(unit))
    if (others.length > 0) await this.#units.kill(...others)
  }

  make(order: DeployRequest, doing: MakeDoing): Promise<BuiltRelease> {
    return build(this.#units, this.#place.builder, order, doing)
  }

  async releases({ username, uid }: AppOwner, app: string, act: ReleaseAct): Promise<void> {
    await this.#place.workers.ask({ username, uid }, 'releases', { app, act }).done()
  }

  ask({ username, uid }: AppOwner, question: Question, signal: AbortSignal): Promise<Heard> {
    return this.#place.workers
      .ask({ username, uid }, 'ask', question, signal)
      .done()
      .catch((error: Error) => (signal.aborted ? 'ECANCELED' : error.message))
  }

  async start(launch: Launch): Promise<AppRun> {
    const { app, folder, label, key, bump, where, log, output } = launch
    if (!existsSync(join(this.#root, mount)))
      throw new HostError('stage', 'This machine is not set up for apps yet: run panel host setup.')
    await this.releases(app, app.name, { act: 'find', release: app.release, root: app.root })
    const unit = appUnits(app.username).replace('*', `${app.id}-${label}-${randomBytes(4).toString('hex')}`)
    const owned = this.folder(app.id)
    const note: Note = {
      ...{ unit, label, key, bump, where, release: app.release, serves: false, begun: Date.now() },
      ...{ username: app.username, app: app.name },
    }
    const reader = await LogReader.of(log, output)
    writeNote(folder.note(label), note)
    const script = owned.launch(label)
    writeFile(script, launchText(app, where, appMark(this.#root, app.account, app.id), this.#root), 0o600)
    if (app.port !== undefined)
      await endHolders(this.#place.run, app.port, app.uid).catch(({ message }: Error) => console.warn(message))
    try {
      await this.#units.start(appWords(launch, unit, script, this.#place.graceMs))
    } finally {
      await folder.drop(`${label}.launch`)
    }
    return this.#process(note, owned, (await this.#units.state(unit)).pid, reader)
  }

  #process(note: Note, folder: OwnedFolder, pid: number | undefined, reader: LogReader): AppRun {
    return new UnitProcess({
      unit: note.unit,
      units: this.#units,
      pid,
      look: () => reader.look(),
      serves: async () => writeNote(folder.note(note.label), { ...note, serves: true }),
      drained: () => reader.end(),
    })
  }

  guard(ports: readonly PortOwner[]): Promise<void> {
    return this.ports.guard(ports)
  }
}

/** Exported for tests: systemd-run's arguments for an app. */
export function appWords({ app, log }: Pick<Launch, 'app' | 'log'>, name: string, script: string, graceMs: number) {
  const properties = [
    `StandardInput=file:${script}`,
    `StandardOutput=append:${log.path}`,
    'StandardError=inherit',
    `TimeoutStopSec=${Math.ceil(graceMs / 1000)}`,
    'InaccessiblePaths=-/var/log/panel',
  ]
  const description = `App ${app.name} of ${app.username}, release ${app.release}`
  const unit = unitWords({ name, description, username: app.username, capabilities: toBecome, properties })
  return [...unit, ...withPipedOutput(app.uid, ['/bin/sh'])]
}
