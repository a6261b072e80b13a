import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { AccountName, ByteVerbs, FileInput, FileVerb, HostDriver, Revision } from '../../contract/driver.ts'
import { FileError, HostError } from '../../contract/error.ts'
import { withUserMessage } from '../../install/user-message.ts'
import type { Frame } from '../protocol/frames.ts'
import { SUPPORTED_VERSIONS } from '../protocol/hello.ts'
import type { CommandName, CommandOutcome, Hello, Inputs, Leadership } from '../protocol/messages.ts'
import { Bulk } from './bulk.ts'
import { roomBelow } from './free-space.ts'
import { accountsOnHost } from './known-accounts.ts'
import { AcceptedLeader } from './leader.ts'
import { Ledger } from './ledger.ts'
import { areaNames, commandNames, readCommand } from './requests.ts'
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

export interface Doing {
  readonly signal: AbortSignal
  readonly progress: (line: string, done: number) => void
}

type Carry<Name extends CommandName> = (input: Inputs[Name], doing: Doing) => Promise<CommandOutcome<Name>>

/** Executes the panel's commands, after validating them again. */
export class HostAgent {
  readonly hello: Hello
  readonly #driver: HostDriver
  readonly #node: string
  readonly #root: string
  readonly #ledger: Ledger
  readonly #turns: Turns
  readonly #bulk = new Bulk()
  readonly #leader: AcceptedLeader

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
    const capabilities = [driver.kind, 'ping', ...commandNames, ...areaNames]
    this.hello = { type: 'hello', protocol: SUPPORTED_VERSIONS, build, boot: randomUUID(), capabilities, undone }
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
      return await (this.#commands[command] as Carry<CommandName>)(input, doing)
    } catch (error) {
      return doing.signal.aborted ? { status: 'cancelled' } : failure(error)
    }
  }

  /** Ends what runs on the host, before this process exits. */
  close(): void {
    this.#driver.close()
  }

  readonly #commands: { readonly [Name in CommandName]: Carry<Name> } = {
    apply: ({ server, account, order, areas }, doing) =>
      this.#inOrder(
        account,
        { order, effect: account.suspended ? 'suspended' : 'active', ...doing },
        async (signal) => {
          const result = await this.#driver.apply(
            { server, accounts: [account] },
            { ...doing, signal, order, ...(areas && { areas }) },
          )
          return { status: 'done', result }
        },
      ),
    remove: ({ account, order, belongings }, doing) =>
      this.#inOrder(account, { order, effect: 'removed', ...doing }, async () => {
        await this.#driver.remove(account, { order, belongings })
        return { status: 'done', result: null }
      }),
    applyServer: async (state) => ({ status: 'done', result: await this.#driver.applyServer(state) }),
    serveZones: async ({ served }) => ({ status: 'done', result: await this.#driver.serveZones(served) }),
    diffZones: async ({ served }) => ({ status: 'done', result: await this.#driver.diffZones(served) }),
    followPrimary: async ({ primary }) => ({ status: 'done', result: await this.#driver.followPrimary(primary) }),
    room: async () => ({ status: 'done', result: { diskFreeMb: roomBelow(this.#root) } }),
    diff: async ({ server, account, state }) => ({
      status: 'done',
      result: await this.#driver.diff(server, account, state),
    }),
    inspect: async () => ({ status: 'done', result: await this.#driver.inspect() }),
    verify: async (state, doing) => ({ status: 'done', result: await this.#driver.verify(state, doing) }),
    usage: async ({ accounts }, { signal }) => ({
      status: 'done',
      result: await this.#driver.usage(accounts, { signal }),
    }),
    listAccounts: async ({ ids }) => ({ status: 'done', result: accountsOnHost(this.#root, ids) }),
    runCron: async (command, { signal }) => ({
      status: 'done',
      result: await this.#driver.runCron(command, { signal }),
    }),
    awaitCron: async (begun, { signal }) => ({
      status: 'done',
      result: { end: (await this.#driver.awaitCron?.(begun, { signal })) ?? null },
    }),
    hostTrash: async ({ measured }, { signal }) => ({
      status: 'done',
      result: { items: await this.#driver.trash(measured, { signal }) },
    }),
    emptyHostTrash: async ({ before }, doing) => ({
      status: 'done',
      result: await this.#driver.emptyTrash(before, doing),
    }),
    files: async (input, doing) => ({ status: 'done', result: await this.#files(input, doing) }),
    commit: async ({ ticket, bytes }) => ({ status: 'done', result: await this.#bulk.commit(ticket, bytes) }),
    discard: async ({ ticket }) => {
      await this.#bulk.discard(ticket)
      return { status: 'done', result: null }
    },
    backup: async (order, doing) => ({ status: 'done', result: await this.#driver.backups.make(order, doing) }),
    checkBackup: async (check, doing) => ({ status: 'done', result: await this.#driver.backups.check(check, doing) }),
    readBackup: async (check) => ({ status: 'done', result: await this.#driver.backups.read(check) }),
    openBackup: async (request) => ({
      status: 'done',
      result: this.#bulk.fromHost(await this.#driver.backups.open(request)),
    }),
    validatePlace: async (destination) => {
      await this.#driver.backups.validate(destination)
      return { status: 'done', result: null }
    },
    testPlace: async (destination, doing) => {
      await this.#driver.backups.test(destination, doing)
      return { status: 'done', result: null }
    },
    restorePart: async (request, doing) => {
      await this.#driver.backups.restore(request, doing)
      return { status: 'done', result: null }
    },
    restoreDatabases: async (request, doing) => ({
      status: 'done',
      result: await this.#driver.backups.restoreDatabases(request, doing),
    }),
    deployApp: async (order, doing) => ({ status: 'done', result: await this.#driver.apps.deploy(order, doing) }),
    settleApp: async (settling, doing) => ({ status: 'done', result: await this.#driver.apps.settle(settling, doing) }),
    restartApp: async (app, doing) => ({ status: 'done', result: await this.#driver.apps.restart(app, doing) }),
    appStatus: async ({ after }, doing) => ({ status: 'done', result: await this.#driver.apps.status(after, doing) }),
    traffic: async (order) => ({ status: 'done', result: await this.#driver.logs.traffic(order) }),
    visits: async (order) => ({ status: 'done', result: await this.#driver.logs.visits(order) }),
    rotateLogs: async (order, { signal }) => {
      await this.#driver.logs.rotate(order, { signal })
      return { status: 'done', result: null }
    },
    openProgram: async (order) => {
      if (!this.#driver.programs) throw new HostError('unsupported', 'This host has no programs that links open.')
      return { status: 'done', result: await this.#driver.programs.open(order) }
    },
    ftpSessions: async () => ({
      status: 'done',
      result: { items: (await this.#driver.ftpSessions?.()) ?? [] },
    }),
    refusedDomains: async () => ({
      status: 'done',
      result: { items: (await this.#driver.refusedDomains?.()) ?? [] },
    }),
    removeBackup: async ({ place }) => {
      await this.#driver.backups.remove(place)
      return { status: 'done', result: null }
    },
  }

  async #files({ account, verb, input }: Inputs['files'], doing: Doing): Promise<object | null> {
    const files = this.#driver.files(account)
    if (verb === 'read') return this.#bulk.fromHost(await files.read(input as ByteVerbs['read']['input']))
    if (verb === 'readLog') return this.#bulk.fromHost(await files.readLog(input as ByteVerbs['readLog']['input']))
    if (verb === 'write') return this.#bulk.toHost(await files.write(input as ByteVerbs['write']['input']))
    if (verb === 'append') return this.#bulk.toHost(await files.append(input as ByteVerbs['append']['input']))
    return files.act(verb, input as FileInput<FileVerb> as never, doing)
  }

  /** One change of an account at a time, and none older than the last. */
  async #inOrder<Done extends CommandOutcome>(
    { id, username, uid, mainDomain }: AccountName,
    turn: Omit<Turn, 'endWork'>,
    change: (signal: AbortSignal) => Promise<Done>,
  ): Promise<Done | { readonly status: 'superseded' }> {
    const endWork = async () => this.#driver.endWork?.({ id, username, uid, mainDomain })
    const outcome = await this.#turns.run(id, { ...turn, endWork }, async (signal) => {
      const accepted = await withUserMessage('stage', () => this.#ledger.accept(id, turn.order, this.#leader.life))
      return accepted ? change(signal) : ({ status: 'superseded' } as const)
    })
    return outcome === overtaken ? { status: 'superseded' } : outcome
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
