import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { FileBytes, FilesFromAfar, HostOptions, Outbox } from '../../contract/client.ts'
import type {
  AccountName,
  Answered,
  ByteVerb,
  ByteVerbs,
  FileEntry,
  FileInput,
  FileVerb,
} from '../../contract/driver.ts'
import type { Inputs, Results } from '../protocol/messages.ts'
import { bytesOf, type InboxLimits, type Ticketed } from './inbox.ts'
import type { Link } from './link.ts'

/** An account's files, through the agent; bytes use connections of their own. */
export class RemoteFiles implements FilesFromAfar {
  readonly #account: AccountName
  readonly #reach: InboxLimits

  constructor(account: AccountName, reach: InboxLimits) {
    this.#account = account
    this.#reach = reach
  }

  act<Verb extends FileVerb>(verb: Verb, input: FileInput<Verb>, options: HostOptions = {}): Promise<Answered<Verb>> {
    return this.#reach.once((link) => this.#ask(link, verb, input, options), options) as Promise<Answered<Verb>>
  }

  read(input: ByteVerbs['read']['input'], options: HostOptions = {}): Promise<FileBytes> {
    return this.#inbox('read', input, options)
  }

  readLog(input: ByteVerbs['readLog']['input'], options: HostOptions = {}): Promise<FileBytes> {
    return this.#inbox('readLog', input, options)
  }

  #inbox(verb: ByteVerb, input: object, options: HostOptions): Promise<FileBytes> {
    const ask = (link: Link) => this.#ask(link, verb, input, options) as Promise<Ticketed<FileBytes['answer']>>
    return bytesOf(this.#reach, ask, options)
  }

  write(input: ByteVerbs['write']['input'], options: HostOptions = {}): Promise<Outbox<FileEntry>> {
    return this.#outbox('write', input, options)
  }

  append(
    input: ByteVerbs['append']['input'],
    options: HostOptions = {},
  ): Promise<Outbox<ByteVerbs['append']['commit']>> {
    return this.#outbox('append', input, options)
  }

  #outbox<Done>(verb: ByteVerb, input: object, options: HostOptions): Promise<Outbox<Done>> {
    return this.#reach.once(async (link) => {
      const { ticket } = (await this.#ask(link, verb, input, options)) as Ticketed<object>
      return new RemoteOutbox<Done>(link, ticket, this.#reach)
    }, options)
  }

  #ask(link: Link, verb: FileVerb | ByteVerb, input: object, options: HostOptions): Promise<object | null> {
    const request: Inputs['files'] = { account: this.#account, verb, input }
    return this.#reach.ask(link, 'files', request, options) as Promise<Results['files']>
  }
}

class RemoteOutbox<Done> implements Outbox<Done> {
  readonly #link: Link
  readonly #ticket: string
  readonly #reach: InboxLimits
  readonly #rest: () => void
  #sent = 0

  constructor(link: Link, ticket: string, reach: InboxLimits) {
    this.#link = link
    this.#ticket = ticket
    this.#reach = reach
    this.#rest = reach.working()
  }

  async send(bytes: AsyncIterable<Buffer>): Promise<void> {
    const connection = await this.#reach.once(() => this.#link.bulk(this.#ticket))
    connection.resume()
    const pace = this.#link.pace()
    try {
      for await (const chunk of bytes) {
        this.#sent += chunk.length
        // The host has stopped reading: the commit reports why.
        if (connection.destroyed || connection.writableEnded) break
        if (!connection.write(chunk)) await drained(connection)
        await pace.pass(chunk.length)
      }
    } catch (error) {
      connection.destroy()
      throw error
    }
    connection.end()
  }

  async commit(options: HostOptions = {}): Promise<Done> {
    try {
      const input: Inputs['commit'] = { ticket: this.#ticket, bytes: this.#sent }
      const request = this.#reach.once(() => this.#reach.ask(this.#link, 'commit', input, options), options)
      return (await request) as Done
    } finally {
      this.#rest()
    }
  }

  async discard(): Promise<void> {
    try {
      await this.#reach.once(() => this.#reach.ask(this.#link, 'discard', { ticket: this.#ticket }, {}))
    } finally {
      this.#rest()
    }
  }
}

/** Until the stream is writable again, or closed. */
async function drained(stream: Duplex): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const events = ['drain', 'close', 'error'].map((event) => once(stream, event, { signal }).catch(() => {}))
  await Promise.race(events)
  over.abort()
}
