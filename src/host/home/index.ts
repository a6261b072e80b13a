import { KeyedLock } from '../../shared/lock.ts'
import type { AccountName } from '../account.ts'
import type { Doing, HostFiles, Sink, Source } from '../driver.ts'
import { FileFault } from '../error.ts'
import type { Answered, ByteVerbs, FileEntry, FileVerb, Told } from '../files.ts'
import type { Faults } from '../install/engine.ts'
import { archive } from './archive.ts'
import { chmod, makeDirectory, move, stat } from './change.ts'
import { copy } from './copy.ts'
import { Directory } from './directory.ts'
import { extract } from './extract.ts'
import { withFaults } from './fault.ts'
import { foresee } from './foresee.ts'
import { list } from './list.ts'
import { listLogs, readLog, tailLog } from './logs.ts'
import { read } from './read.ts'
import { emptyTrash, listTrash, restore, trash } from './trash.ts'
import { append, dropUpload, saveUpload, uploadSizes } from './uploads.ts'
import type { Home } from './walk.ts'
import { write } from './write.ts'

const ofLogs = {
  listLogs: (directory: Directory) => listLogs(directory),
  tailLog,
}
type LogVerb = keyof typeof ofLogs

type Act<Verb extends FileVerb> = (home: Home, told: Told<Verb>, doing: Doing) => Promise<Answered<Verb>>

/** The implementation of each verb in an open home. */
const acts: { readonly [Verb in Exclude<FileVerb, LogVerb>]: Act<Verb> } = {
  list,
  stat,
  makeDirectory,
  move,
  chmod,
  trash,
  listTrash: (home) => listTrash(home),
  restore,
  emptyTrash: (home, told, { signal }) => emptyTrash(home, told, signal),
  foresee,
  copy: (home, told, { signal }) => copy(home, told, signal),
  archive: (home, told, { signal }) => archive(home, told, signal),
  extract: (home, told, { signal }) => extract(home, told, signal),
  uploadSizes,
  dropUpload,
  saveUpload,
}

/** Verbs that only read, or run long, separately from the rest. */
const reads: ReadonlySet<FileVerb> = new Set([
  'list',
  'stat',
  'listTrash',
  'uploadSizes',
  'foresee',
  'copy',
  'archive',
  'extract',
  'emptyTrash',
])

/** Verbs whose work grows with the number or size of files. */
const longs: ReadonlySet<FileVerb> = new Set([
  'list',
  'trash',
  'restore',
  'emptyTrash',
  'foresee',
  'copy',
  'archive',
  'extract',
  'saveUpload',
])

export const isLong = (verb: FileVerb): boolean => longs.has(verb)
export const isReading = (verb: FileVerb): boolean => reads.has(verb)
export const isOfLogs = (verb: FileVerb): boolean => verb in ofLogs

/** Where a host's homes are: their parent directory, and one's name in it. */
export interface Homes {
  readonly above: string
  /** The directory of all their logs. */
  readonly logs: string
  nameOf(account: AccountName): string | undefined
  readonly faults?: Faults | undefined
}

const changes = new KeyedLock()

/** The files of one account's home, reopened for each call. */
export class HomeFiles implements HostFiles {
  readonly #homes: Homes
  readonly #account: AccountName

  constructor(homes: Homes, account: AccountName) {
    this.#homes = homes
    this.#account = account
  }

  act<Verb extends FileVerb>(verb: Verb, told: Told<Verb>, doing: Doing = {}): Promise<Answered<Verb>> {
    if (verb in ofLogs) return this.#ofLogs(verb as LogVerb, told as never) as Promise<Answered<Verb>>
    const acting = acts[verb as Exclude<FileVerb, LogVerb>] as unknown as Act<Verb>
    const act = () => this.#in((home) => acting(home, told, doing))
    return reads.has(verb) ? act() : this.#alone(act)
  }

  read(told: ByteVerbs['read']['told']): Promise<Source> {
    return this.#in((home) => read(home, told))
  }

  readLog(told: ByteVerbs['readLog']['told']): Promise<Source> {
    return this.#inLogs((directory) => readLog(directory, told))
  }

  #ofLogs(verb: LogVerb, told: Told<LogVerb>): Promise<Answered<LogVerb>> {
    return this.#inLogs<Answered<LogVerb>>((directory) => ofLogs[verb](directory, told as never))
  }

  async #inLogs<T>(act: (directory: Directory) => Promise<T>): Promise<T> {
    const home = await this.#open(this.#homes.logs)
    return withFaults(() => act(home.directory)).finally(() => home.directory.close())
  }

  write(told: ByteVerbs['write']['told']): Promise<Sink<FileEntry>> {
    return this.#sink((home) => write(home, told))
  }

  append(told: ByteVerbs['append']['told']): Promise<Sink<ByteVerbs['append']['commit']>> {
    return this.#sink((home) => append(home, told))
  }

  /** The home stays open until the bytes are committed or discarded. */
  async #sink<Done>(opening: (home: Home) => Promise<Sink<Done>>): Promise<Sink<Done>> {
    const home = await this.#open()
    const close = () => home.directory.close()
    try {
      const sink = await opening(home)
      return {
        receive: (stream) => sink.receive(stream),
        commit: () => this.#alone(() => sink.commit()).finally(close),
        discard: () => sink.discard().finally(close),
      }
    } catch (error) {
      await close()
      throw error
    }
  }

  /** Serializes check-then-change operations of the panel on a file. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    return changes.run(this.#account.id, act)
  }

  async #in<T>(act: (home: Home) => Promise<T>): Promise<T> {
    const home = await this.#open()
    try {
      return await act(home)
    } finally {
      await home.directory.close()
    }
  }

  async #open(where = this.#homes.above): Promise<Home> {
    const name = this.#homes.nameOf(this.#account)
    if (name === undefined) throw noHome()
    const above = await Directory.at(where)
    try {
      const directory = await above.down(Buffer.from(name))
      return { directory, uid: (await directory.stat()).uid, faults: this.#homes.faults }
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? noHome() : error
    } finally {
      await above.close()
    }
  }
}

const noHome = (): FileFault => new FileFault('not-found', 'The account has no home on the host yet.')
