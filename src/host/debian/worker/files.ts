import { Readable } from 'node:stream'
import { KeyedLock } from '../../../shared/lock.ts'
import type { ByteVerbs, Doing, FileEntry, HostFiles, Sink, Source } from '../../driver.ts'
import { FileFault } from '../../error.ts'
import type { Answered, FileVerb, Told } from '../../files.ts'
import { isOfLogs, isReading } from '../../home/index.ts'
import type { Conversation } from './conversation.ts'
import type { Tenant, Workers } from './pool.ts'

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

  act<Verb extends FileVerb>(verb: Verb, told: Told<Verb>, doing: Doing = {}): Promise<Answered<Verb>> {
    if (isOfLogs(verb)) return this.#logs.act(verb, told, doing)
    const { signal } = doing
    const act = async () =>
      (await this.#workers.ask(this.#owner(), 'act', { verb, told }, signal).done()) as Answered<Verb>
    return isReading(verb) ? act() : this.#alone(act)
  }

  read(told: ByteVerbs['read']['told']): Promise<Source> {
    return sourceOf(this.#workers.ask(this.#owner(), 'read', told))
  }

  readLog(told: ByteVerbs['readLog']['told']): Promise<Source> {
    return this.#logs.readLog(told)
  }

  async write(told: ByteVerbs['write']['told']): Promise<Sink<FileEntry>> {
    const asked = this.#workers.ask(this.#owner(), 'write', told)
    await asked.opened()
    return this.#sink(asked, (stream) => asked.take(stream)) as Sink<FileEntry>
  }

  /** Serializes an upload's chunks: each begins where the previous one ended. */
  async append(told: ByteVerbs['append']['told']): Promise<Sink<ByteVerbs['append']['commit']>> {
    const asked = this.#workers.ask(this.#owner(), 'append', told)
    await asked.opened()
    const take = (stream: Readable) => uploads.run(told.id, () => asked.take(stream))
    return this.#sink(asked, take) as Sink<ByteVerbs['append']['commit']>
  }

  #sink<Verb extends 'write' | 'append'>(asked: Conversation<Verb>, receive: Sink['receive']): Sink<unknown> {
    return {
      receive,
      commit: () => this.#alone(() => asked.commit()),
      discard: () => asked.drop(),
    }
  }

  /** Serializes check-then-change operations of the panel on a file. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    return changes.run(this.#account, act)
  }

  #owner(): Tenant {
    const tenant = this.#tenant()
    if (!tenant) throw new FileFault('not-found', 'The account has no home on the host yet.')
    return tenant
  }
}

async function sourceOf(asked: Conversation<'read'>): Promise<Source> {
  const answer = await asked.opened<Source['answer']>()
  const bytes = async function* () {
    yield* asked.bytes()
    await asked.done()
  }
  return { answer, stream: () => Readable.from(bytes(), { objectMode: false }), close: () => asked.drop() }
}
