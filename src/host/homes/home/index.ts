import { KeyedLock } from '../../../shared/lock.ts'
import type { AccountName } from '../../contract/account.ts'
import type { Answered, ByteVerbs, FileEntry, FileInput, FileVerb } from '../../contract/commands/files.ts'
import type { Doing, HostFiles, Sink, Source } from '../../contract/driver.ts'
import { FileError } from '../../contract/error.ts'
import type { FailPoint } from '../../install/engine.ts'
import { archive } from './archive.ts'
import { chmod, makeDirectory, move, remove, stat } from './change.ts'
import { copy } from './copy.ts'
import { Directory } from './directory.ts'
import { withFileErrors } from './error.ts'
import { extract } from './extract.ts'
import { htaccess } from './htaccess.ts'
import { list } from './list.ts'
import { listLogs, readLog, tailLog } from './logs.ts'
import { foresee } from './preflight.ts'
import { read } from './read.ts'
import { emptyTrash, listTrash, namingTrash, restore, trash } from './trash.ts'
import { append, dropUpload, saveUpload, uploadSizes } from './uploads.ts'
import { userIni } from './user-ini.ts'
import type { Home } from './walk.ts'
import { wordpress } from './wordpress.ts'
import { write } from './write.ts'

const ofLogs = {
  listLogs: (directory: Directory) => listLogs(directory),
  tailLog,
}
type LogVerb = keyof typeof ofLogs

type Act<Verb extends FileVerb> = (home: Home, input: FileInput<Verb>, doing: Doing) => Promise<Answered<Verb>>

/** The implementation of each verb in an open home. */
const acts: { readonly [Verb in Exclude<FileVerb, LogVerb>]: Act<Verb> } = {
  list,
  stat,
  makeDirectory,
  move,
  chmod,
  trash,
  remove: (home, input, { signal }) => remove(home, input, signal),
  listTrash: (home) => listTrash(home),
  restore,
  emptyTrash: (home, input, { signal }) => emptyTrash(home, input, signal),
  foresee,
  copy: (home, input, { signal }) => copy(home, input, signal),
  archive: (home, input, { signal }) => archive(home, input, signal),
  extract: (home, input, { signal }) => extract(home, input, signal),
  htaccess,
  wordpress,
  userIni,
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
  'htaccess',
  'wordpress',
  'userIni',
  'foresee',
  'copy',
  'archive',
  'extract',
  'emptyTrash',
  'remove',
])

/** Verbs whose work grows with the number or size of files. */
const longs: ReadonlySet<FileVerb> = new Set([
  'list',
  'trash',
  'remove',
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
  readonly onFailPoint?: FailPoint | undefined
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

  act<Verb extends FileVerb>(verb: Verb, input: FileInput<Verb>, doing: Doing = {}): Promise<Answered<Verb>> {
    if (verb in ofLogs) return this.#ofLogs(verb as LogVerb, input as never) as Promise<Answered<Verb>>
    const acting = acts[verb as Exclude<FileVerb, LogVerb>] as unknown as Act<Verb>
    const act = () => this.#in((home) => acting(home, input, doing))
    return reads.has(verb) ? act() : this.#alone(act)
  }

  read(input: ByteVerbs['read']['input']): Promise<Source> {
    return this.#in((home) => read(home, input))
  }

  readLog(input: ByteVerbs['readLog']['input']): Promise<Source> {
    return this.#inLogs((directory) => readLog(directory, input))
  }

  #ofLogs(verb: LogVerb, input: FileInput<LogVerb>): Promise<Answered<LogVerb>> {
    return this.#inLogs<Answered<LogVerb>>((directory) => ofLogs[verb](directory, input as never))
  }

  async #inLogs<T>(act: (directory: Directory) => Promise<T>): Promise<T> {
    const home = await this.#open(this.#homes.logs)
    return withFileErrors(() => act(home.directory)).finally(() => home.directory.close())
  }

  write(input: ByteVerbs['write']['input']): Promise<Sink<FileEntry>> {
    return this.#sink((home) => write(home, input))
  }

  append(input: ByteVerbs['append']['input']): Promise<Sink<ByteVerbs['append']['commit']>> {
    return this.#sink((home) => append(home, input))
  }

  /** The home stays open until the bytes are committed or discarded. */
  async #sink<Done>(opening: (home: Home) => Promise<Sink<Done>>): Promise<Sink<Done>> {
    const home = await this.#open()
    const close = () => home.directory.close()
    try {
      const sink = await opening(home)
      return {
        receive: (stream) =>
          sink.receive(stream).catch(async (error: unknown) => Promise.reject(await namingTrash(home, error))),
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
    } catch (error) {
      throw await namingTrash(home, error)
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
      return { directory, uid: (await directory.stat()).uid, onFailPoint: this.#homes.onFailPoint }
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? noHome() : error
    } finally {
      await above.close()
    }
  }
}

const noHome = (): FileError => new FileError('not-found', 'The account has no home on the host yet.')
