import { randomUUID } from 'node:crypto'
import {
  type FileBytes,
  type FilesFromAfar,
  type HostClient,
  type HostKind,
  type HostOptions,
  type HostStatus,
  type Superseded,
  superseded,
} from '../../contract/client.ts'
import { type ClientCommand, CommandClient } from '../../contract/command-client.ts'
import { commandOf } from '../../contract/commands/index.ts'
import {
  type AccountName,
  FileError,
  HostError,
  type HostFeature,
  isLeaving,
  isProgram,
  leaving,
} from '../../contract/driver.ts'
import { SUPPORTED_VERSIONS } from '../protocol/hello.ts'
import type { CommandName, CommandOutcome, Hello, Leadership } from '../protocol/messages.ts'
import { Connector } from './connector.ts'
import { RemoteFiles } from './files.ts'
import { bytesOf, type InboxLimits, type Ticketed } from './inbox.ts'
import { type Link, LinkLost, Outranked } from './link.ts'
import { type Links, SingleLink, unreachableReason } from './single-link.ts'
import type { Transport } from './transport.ts'

export interface Reigning {
  /** Undefined before the first start of a store. */
  readonly claim: Leadership | undefined
  hear(later: Leadership): void
}

export type AgentClientOptions = AgentOptions & ({ readonly transport: Transport } | { readonly link: Link })

interface AgentOptions {
  /** The version of this program. */
  readonly build: string
  readonly after: (ms: number, act: () => void) => () => void
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  /** The machine that the agent manages. */
  readonly node?: string
  /** How long to keep an idle agent, in milliseconds. */
  readonly keep?: number
  /** The life of the store that this server serves, and a listener for later ones. */
  readonly leadership?: Reigning
  /** Whether it is a service that is always up, not a child of this process. */
  readonly service?: boolean
  /** The kind of driver, if the transport does not imply it. */
  readonly kind?: HostKind
  /** What its agent supports, if it has connected already. */
  readonly capabilities?: readonly string[]
}

/** A command that crashes the agent must not do so forever. */
const maxLosses = 5
const minute = 60_000

/** What describes bytes: at least how many there are. */
interface DescribedBytes {
  readonly length: number
}

/** The host, through its agent: commands wait while it is unreachable, and are resent if it was lost. */
export class AgentClient extends CommandClient implements HostClient {
  readonly #options: AgentClientOptions
  readonly #connector: Links
  #inProgress = 0
  readonly #staying = new Set<string>()
  #cancelRest = (): void => {}
  #capabilities: readonly string[] | undefined

  constructor(options: AgentClientOptions) {
    super()
    this.#options = options
    this.#capabilities = options.capabilities
    this.#connector =
      'link' in options ? new SingleLink(options.link, options.node ?? 'local') : this.#reconnecting(options)
  }

  #reconnecting({
    transport,
    build,
    after,
    service,
    leadership,
  }: Extract<AgentClientOptions, { transport: Transport }>): Links {
    const hello = {
      type: 'hello',
      protocol: SUPPORTED_VERSIONS,
      build,
      boot: randomUUID(),
      capabilities: [],
      undone: [],
      get leadership() {
        return leadership?.claim
      },
    } as const
    return new Connector({
      transport,
      hello,
      after,
      ...(service && { lasting: true }),
      met: (agent) => this.#met(agent),
      failed: (error) => this.#failed(error),
      lost: () => this.#begin(),
    })
  }

  get status(): HostStatus {
    return this.#connector.status
  }

  offers(feature: HostFeature): boolean | undefined {
    // A directory renders what daemons would read, and runs no program.
    return (this.kind === 'directory' && !isProgram(feature)) || this.#capabilities?.includes(feature)
  }

  get kind(): HostKind {
    return this.#options.kind ?? (this.#options.service ? 'debian' : 'directory')
  }

  /** Connects to a service, to learn whether it runs. */
  open(): void {
    this.#connector.open()
  }

  override send(name: ClientCommand, input: unknown, options: HostOptions = {}): Promise<unknown> {
    const { bulk, detaches } = commandOf(name)
    if (bulk) return this.#bytes(name, input, options)
    // A command that goes on without its caller would still end with this process's own agent.
    if (detaches && this.kind === 'debian') return untilLeft(options, (own) => this.#run(name, input, own))
    return this.#run(name, input, options)
  }

  files(account: AccountName): FilesFromAfar {
    return new RemoteFiles(account, this.#reach)
  }

  #bytes(name: ClientCommand, input: unknown, options: HostOptions): Promise<FileBytes<DescribedBytes>> {
    const ask = (link: Link) => this.#reach.ask(link, name, input, options) as Promise<Ticketed<DescribedBytes>>
    return bytesOf(this.#reach, ask, options)
  }

  get #reach(): InboxLimits {
    return {
      once: (act, options = {}) => this.#once(act, options),
      ask: (link, command, input, options) =>
        link.ask(this.#options.node ?? 'local', command, input, options).then((outcome) => doneOf(outcome, options)),
      working: () => this.#working(),
    }
  }

  /** For acts that must not run twice: it may have been done before the agent was lost. */
  async #once<T>(act: (link: Link) => Promise<T>, options: HostOptions): Promise<T> {
    const rest = this.#working()
    try {
      return await act(await this.#connector.link(options))
    } catch (error) {
      throw error instanceof LinkLost ? new FileError('overloaded', error.message) : error
    } finally {
      rest()
    }
  }

  /** Keeps the agent busy until the returned function is called. */
  #working(): () => void {
    this.#inProgress++
    this.#cancelRest()
    let over = false
    return () => {
      if (over) return
      over = true
      if (--this.#inProgress === 0) this.#restLater()
    }
  }

  stay(reason: string, on: boolean): void {
    if (this.#staying.has(reason) === on) return
    if (on) this.#staying.add(reason)
    else this.#staying.delete(reason)
    this.#cancelRest()
    this.#begin()
    if (this.#inProgress === 0) this.#restLater()
  }

  /** Connects if the agent must stay up. Failures are ignored, as the connector retries. */
  #begin(): void {
    if (this.#staying.size > 0) void this.#connector.link({}).catch(() => {})
  }

  close(): Promise<void> {
    this.#staying.clear()
    this.#cancelRest()
    return this.#connector.close()
  }

  async #run(name: CommandName, input: unknown, options: HostOptions): Promise<unknown> {
    const { supersedes, retry } = commandOf(name)
    const rest = this.#working()
    try {
      const result = resultOf(await this.#carriedOut(name, input, options), options)
      if (result === superseded && !supersedes) throw new Error(`The host agent answered that ${name} was superseded.`)
      return result
    } catch (error) {
      if (retry === 'never' && error instanceof LinkLost) return undefined
      throw error
    } finally {
      rest()
    }
  }

  async #carriedOut(name: CommandName, input: unknown, options: HostOptions): Promise<CommandOutcome> {
    const { retry } = commandOf(name)
    for (let losses = 1; ; losses++) {
      try {
        const link = await this.#connector.link(options)
        return await link.ask(this.#options.node ?? 'local', name, input, options)
      } catch (error) {
        if (!(error instanceof LinkLost) || retry === 'never') throw error
        if ('link' in this.#options)
          throw new HostError('stage', unreachableReason(this.#options.node ?? 'local'), 'unreachable')
        if (losses === maxLosses) throw exhausted(retry === 'outlives')
        options.waits?.(
          `${error.message} ${this.#options.service ? 'Connecting to it again.' : 'It is started again.'}`,
        )
      }
    }
  }

  #restLater(): void {
    const { after, keep = minute, service } = this.#options
    if (!service && this.#staying.size === 0) this.#cancelRest = after(keep, () => void this.#connector.rest())
  }

  #failed(error: Error): void {
    const { log, leadership } = this.#options
    if (error instanceof Outranked) leadership?.hear(error.leadership)
    log.warn({ reason: error.message }, 'the host agent cannot be reached')
  }

  #met({ build, boot, capabilities, undone }: Hello): void {
    this.#capabilities = capabilities
    const { log } = this.#options
    log.info({ build, boot, capabilities }, 'connected to the host agent')
    if (undone.length > 0) log.warn({ undone }, 'changes to the host that a crash left unfinished were rolled back')
  }
}

const exhausted = (outlives: boolean): HostError =>
  outlives
    ? new HostError('stage', 'Lost the connection to the host agent repeatedly.', 'unreachable')
    : new HostError('stage', 'The host agent exited each time it started this change.')

/** A caller that leaves hears no more; a cancellation is passed on to the command. */
function untilLeft<T>({ signal, ...rest }: HostOptions, act: (own: HostOptions) => Promise<T>): Promise<T> {
  if (!signal) return act(rest)
  const own = new AbortController()
  return new Promise<T>((resolve, reject) => {
    const hear = (): void => (isLeaving(signal) ? reject(leaving) : own.abort(signal.reason))
    const done = (): void => signal.removeEventListener('abort', hear)
    signal.addEventListener('abort', hear)
    if (signal.aborted) hear()
    act({ ...rest, signal: own.signal })
      .finally(done)
      .then(resolve, reject)
  })
}

function doneOf(outcome: CommandOutcome, options: HostOptions): unknown {
  const result = resultOf(outcome, options)
  if (result === superseded) throw new Error('The host agent answered that files were superseded.')
  return result
}

function resultOf(outcome: CommandOutcome, { signal }: HostOptions): unknown | Superseded {
  if (outcome.status === 'done') return outcome.result
  if (outcome.status === 'superseded') return superseded
  if (outcome.status === 'cancelled') throw signal?.reason ?? new Error('The host agent stopped a command by itself.')
  if (outcome.status === 'unsupported') throw new HostError('unsupported', outcome.message)
  if (outcome.fileError) throw FileError.from(outcome.message, outcome.fileError)
  throw outcome.stage ? new HostError(outcome.stage, outcome.message) : new Error(outcome.message)
}
