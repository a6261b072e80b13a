import { Readable } from 'node:stream'
import { KeyedLock } from '../../../shared/lock.ts'
import type { Answered, FileInput, FileVerb } from '../../contract/commands/files.ts'
import type { ByteVerbs, Doing, FileEntry, HostFiles, Sink, Source } from '../../contract/driver.ts'
import { FileError } from '../../contract/error.ts'
import { isOfLogs, isReading } from '../../homes/home/index.ts'
import type { Tenant, Workers } from './pool.ts'
import type { Conversation } from './request.ts'

const changes = new KeyedLock()
const uploads = new KeyedLock()

/** The files of an account's home, accessed by processes of its owner. Its logs are root's, and root reads them. */
export class WorkerFiles implements HostFiles {
  readonly #account: string
  readonly #workers: Workers
  readonly #tenant: () => Tenant | undefined
  readonly #logs: HostFiles

  constructor(account: string, workers: Workers, tenant: () => Tenant | undefined, logs: HostFiles) {
    this.#account = account
    this.#workers = workers
    this.#tenant = tenant
    this.#logs = logs
  }

  act<Verb extends FileVerb>(verb: Verb, input: FileInput<Verb>, doing: Doing = {}): Promise<Answered<Verb>> {
    if (isOfLogs(verb)) return this.#logs.act(verb, input, doing)
    const { signal } = doing
    const act = async () =>
      (await this.#workers.ask(this.#owner(), 'act', { verb, input }, signal).done()) as Answered<Verb>
    return isReading(verb) ? act() : this.#alone(act)
  }

  read(input: ByteVerbs['read']['input']): Promise<Source> {
    return sourceOf(this.#workers.ask(this.#owner(), 'read', input))
  }

  readLog(input: ByteVerbs['readLog']['input']): Promise<Source> {
    return this.#logs.readLog(input)
  }

  async write(input: ByteVerbs['write']['input']): Promise<Sink<FileEntry>> {
    const request = this.#workers.ask(this.#owner(), 'write', input)
    await request.opened()
    return this.#sink(request, (stream) => request.take(stream)) as Sink<FileEntry>
  }

  /** Serializes an upload's chunks: each begins where the previous one ended. */
  async append(input: ByteVerbs['append']['input']): Promise<Sink<ByteVerbs['append']['commit']>> {
    const request = this.#workers.ask(this.#owner(), 'append', input)
    await request.opened()
    const take = (stream: Readable) => uploads.run(input.id, () => request.take(stream))
    return this.#sink(request, take) as Sink<ByteVerbs['append']['commit']>
  }

  #sink<Verb extends 'write' | 'append'>(request: Conversation<Verb>, receive: Sink['receive']): Sink<unknown> {
    return {
      receive,
      commit: () => this.#alone(() => request.commit()),
      discard: () => request.drop(),
    }
  }

  /** Serializes check-then-change operations of the panel on a file. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    return changes.run(this.#account, act)
  }

  #owner(): Tenant {
    const tenant = this.#tenant()
    if (!tenant) throw new FileError('not-found', 'The account has no home on the host yet.')
    return tenant
  }
}

async function sourceOf(request: Conversation<'read'>): Promise<Source> {
  const answer = await request.opened<Source['answer']>()
  const bytes = async function* () {
    yield* request.bytes()
    await request.done()
  }
  return { answer, stream: () => Readable.from(bytes(), { objectMode: false }), close: () => request.drop() }
}
