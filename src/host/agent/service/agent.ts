import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import {
  agentCommands,
  type CommandName,
  commandNames,
  commandOf,
  type Implemented,
  type Inputs,
  partCommands,
  type Results,
} from '../../contract/commands/index.ts'
import { areaNames } from '../../contract/commands/state.ts'
import type {
  AccountName,
  ByteVerbs,
  Doing,
  FileInput,
  FileVerb,
  HostDriver,
  Revision,
  Source,
} from '../../contract/driver.ts'
import { FileError, HostError } from '../../contract/error.ts'
import { withUserMessage } from '../../install/user-message.ts'
import type { Frame } from '../protocol/frames.ts'
import { SUPPORTED_VERSIONS } from '../protocol/hello.ts'
import type { CommandOutcome, Hello, Leadership } from '../protocol/messages.ts'
import { Bulk } from './bulk.ts'
import { roomBelow } from './free-space.ts'
import { accountsOnHost } from './known-accounts.ts'
import { AcceptedLeader } from './leader.ts'
import { Ledger } from './ledger.ts'
import { readCommand } from './requests.ts'
import { overtaken, type Turn, Turns } from './turns.ts'

export interface AgentOptions {
  readonly driver: HostDriver
  /** The root of the host's files. */
  readonly root: string
  /** The machine's name in its panel. */
  readonly node?: string
  /** The version of this program. */
  readonly build: string
  /** Runs something once after so many milliseconds; returns a function that cancels it. Default: a timer. */
  readonly after?: (ms: number, act: () => void) => () => void
}

type Work = (input: unknown, doing: Doing) => Promise<unknown>
const partNames = Object.keys(partCommands) as readonly (keyof typeof partCommands)[]

/** Executes the panel's commands, after validating them again. */
export class HostAgent {
  readonly #driver: HostDriver
  readonly #node: string
  readonly #root: string
  readonly #ledger: Ledger
  readonly #turns: Turns
  readonly #bulk = new Bulk()
  readonly #leader: AcceptedLeader
  readonly #process: Pick<Hello, 'build' | 'boot' | 'undone'>

  private constructor(
    { driver, root, node = 'local', build, after = timer }: AgentOptions,
    ledger: Ledger,
    undone: readonly string[],
  ) {
    this.#driver = driver
    this.#node = node
    this.#root = root
    this.#ledger = ledger
    this.#turns = new Turns(after)
    this.#leader = new AcceptedLeader(root)
    this.#process = { build, boot: randomUUID(), undone }
  }

  /** What a panel learns as it connects. */
  get hello(): Hello {
    const { kind, features = [] } = this.#driver
    const capabilities = [kind, ...features, 'ping', ...commandNames, ...areaNames]
    return { type: 'hello', protocol: SUPPORTED_VERSIONS, ...this.#process, capabilities }
  }

  /** First rolls back what a crash left half installed. */
  static async start(options: AgentOptions): Promise<HostAgent> {
    const ledger = new Ledger(options.root)
    const ordered = (id: string, order: Revision) => void ledger.accept(id, order)
    const { undone } = await withUserMessage('stage', () => options.driver.recover(ordered))
    return new HostAgent(options, ledger, undone)
  }

  /** The leadership that outranks a connecting server; servers older than takeovers send none, and are obeyed. */
  outranking({ leadership }: Hello): Leadership | undefined {
    return leadership && this.#leader.newerLeader(leadership)
  }

  /** Serves a connection for one command's bytes. */
  carry(stream: Duplex): Promise<void> {
    return this.#bulk.serve(stream, this.hello)
  }

  async execute(frame: Frame, doing: Doing): Promise<CommandOutcome> {
    try {
      const { command, input } = readCommand(frame, this.#node)
      return { status: 'done', result: await this.#carryOut(command, input, doing) } as CommandOutcome
    } catch (error) {
      if (error === overtaken) return { status: 'superseded' }
      return doing.signal?.aborted ? { status: 'cancelled' } : failure(error)
    }
  }

  /** Before a clean exit: removes the records of what was applied. */
  checkpoint(): Promise<void> {
    return this.#driver.checkpoint()
  }

  /** Ends what runs on the host, before this process exits. */
  close(): void {
    this.#driver.close()
  }

  async #carryOut(name: CommandName, input: unknown, doing: Doing): Promise<unknown> {
    // Each has a function of the same name, which its declaration types.
    const works = this.#worksOf(name) as Readonly<Record<string, Work>>
    const result = await works[name]!(input, doing)
    return commandOf(name).bulk ? this.#bulk.fromHost(result as Source<{ readonly length: number }>) : (result ?? null)
  }

  /** Who carries out a command: the agent itself, its driver, or a part of the driver. */
  #worksOf(name: CommandName): object {
    if (name in agentCommands) return this.#own
    const part = partNames.find((one) => name in partCommands[one])
    return part ? this.#driver[part] : this.#driver
  }

  readonly #own: Implemented<typeof agentCommands> = {
    apply: ({ server, account, order, areas }, doing = {}) =>
      this.#inOrder(account, { order, effect: account.suspended ? 'suspended' : 'active', doing }, (signal) =>
        this.#driver.apply({ server, accounts: [account] }, { ...doing, signal, order, ...(areas && { areas }) }),
      ),
    remove: ({ account, order, belongings }, doing = {}) =>
      this.#inOrder(account, { order, effect: 'removed', doing }, () =>
        this.#driver.remove(account, { order, belongings }),
      ),
    room: async () => ({ diskFreeMb: roomBelow(this.#root) }),
    listAccounts: async ({ ids }) => accountsOnHost(this.#root, ids),
    files: (input, doing) => this.#files(input, doing),
    commit: ({ ticket, bytes }) => this.#bulk.commit(ticket, bytes),
    discard: ({ ticket }) => this.#bulk.discard(ticket),
  }

  async #files({ account, verb, input }: Inputs['files'], doing: Doing = {}): Promise<Results['files']> {
    const files = this.#driver.files(account)
    if (verb === 'read') return this.#bulk.fromHost(await files.read(input as ByteVerbs['read']['input']))
    if (verb === 'readLog') return this.#bulk.fromHost(await files.readLog(input as ByteVerbs['readLog']['input']))
    if (verb === 'write') return this.#bulk.toHost(await files.write(input as ByteVerbs['write']['input']))
    if (verb === 'append') return this.#bulk.toHost(await files.append(input as ByteVerbs['append']['input']))
    return files.act(verb, input as FileInput<FileVerb> as never, doing)
  }

  /** One change of an account at a time, and none older than the last. */
  async #inOrder<Done>(
    { id, username, uid, mainDomain }: AccountName,
    { order, effect, doing }: { readonly order: Revision; readonly effect: Turn['effect']; readonly doing: Doing },
    change: (signal: AbortSignal) => Promise<Done>,
  ): Promise<Done> {
    const endWork = () => this.#driver.endWork({ id, username, uid, mainDomain })
    const { signal = new AbortController().signal } = doing
    const outcome = await this.#turns.run(id, { order, effect, signal, endWork }, async (ending) => {
      const accepted = await withUserMessage('stage', () => this.#ledger.accept(id, order, this.#leader.life))
      return accepted ? change(ending) : overtaken
    })
    if (outcome === overtaken) throw overtaken
    return outcome
  }
}

function timer(ms: number, act: () => void): () => void {
  const pending = setTimeout(act, ms)
  return () => clearTimeout(pending)
}

function failure(error: unknown): CommandOutcome {
  if (!(error instanceof HostError)) return { status: 'failed', message: (error as Error).stack ?? String(error) }
  const { stage, message } = error
  if (error instanceof FileError) return { status: 'failed', stage, message, fileError: error.detail }
  return stage === 'unsupported' ? { status: 'unsupported', message } : { status: 'failed', stage, message }
}
