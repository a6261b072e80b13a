import { localNode } from '../../../shared/node-name.ts'
import type { FilesFromAfar, HostClient, HostKind, HostOptions, HostStatus } from '../../contract/client.ts'
import type { Route, Share, Shares } from '../../contract/command.ts'
import { type ClientCommand, CommandClient, sendTo } from '../../contract/command-client.ts'
import { commandOf } from '../../contract/commands/index.ts'
import { type AccountName, FileError, HostError, type HostFeature } from '../../contract/driver.ts'
import { type Deadline, within } from './deadline.ts'
import type { Fleet, LinkedHost } from './fleet.ts'

export interface RouterHooks {
  /** The node that hosts an account, by the account's id. */
  nodeOf(account: string): string
  /** Whether a node hosts accounts. */
  holdsAccounts(node: string): boolean
  after: Deadline['after']
  /** Called for a node that failed where others answered. */
  failed(node: string, error: unknown): void
}

/** A command on its way, and what it is asked with. */
interface Sending {
  readonly name: ClientCommand
  readonly input: unknown
  readonly options: HostOptions | undefined
}

/** All hosts as one: each command goes to the nodes that its declaration names. */
export class Router extends CommandClient implements HostClient {
  readonly #fleet: Fleet
  readonly #hooks: RouterHooks

  constructor(fleet: Fleet, hooks: RouterHooks) {
    super()
    this.#fleet = fleet
    this.#hooks = hooks
  }

  get #local(): HostClient {
    return this.#fleet.driverOf(localNode)
  }

  #of(account: string): HostClient {
    return this.#fleet.driverOf(this.#hooks.nodeOf(account))
  }

  get status(): HostStatus {
    return this.#local.status
  }

  get kind(): HostKind {
    return this.#local.kind
  }

  files(account: AccountName): FilesFromAfar {
    return this.#of(account.id).files(account)
  }

  stay(reason: string, on: boolean): void {
    this.#local.stay(reason, on)
  }

  offers(feature: HostFeature): boolean | undefined {
    return this.#local.offers(feature)
  }

  override async send(name: ClientCommand, input: unknown, options?: HostOptions): Promise<unknown> {
    const sending = { name, input, options }
    const { account, everywhere, withAccounts, shares }: Route<unknown, unknown> = commandOf(name).route ?? {}
    if (everywhere) return everywhere.merge(await this.#everywhere(sending, everywhere.ms))
    if (withAccounts) return this.#withAccounts(sending, withAccounts.ms)
    if (shares) return shares.merge(input, await this.#shared(sending, shares))
    const id = account?.(input)
    return sendTo(id === undefined ? this.#local : this.#of(id), name, input, options)
  }

  /** The answers of all linked hosts; a failed or slow node holds up no other. */
  async #everywhere(sending: Sending, ms: number): Promise<readonly unknown[]> {
    const answers = await Promise.all(this.#fleet.linked.map((linked) => this.#orNothing(linked, sending, ms)))
    return answers.filter((answer) => answer !== undefined)
  }

  async #withAccounts(sending: Sending, ms: number): Promise<null> {
    const { nodes } = sending.options ?? {}
    const writes = (node: string) => this.#hooks.holdsAccounts(node) && (nodes?.has(node) ?? true)
    const hosts = this.#fleet.linked.filter(([node]) => node === localNode || writes(node))
    await Promise.all(
      hosts.map((linked) => this.#inTime(linked, sending, ms).catch((error: unknown) => refuseAs(linked[0], error))),
    )
    return null
  }

  #shared(sending: Sending, { accounts, only, ms }: Shares<unknown, unknown>): Promise<Share<unknown>[]> {
    const ask = async ([node, items]: [string, number[]]): Promise<Share<unknown>> => {
      const share = { ...sending, input: only(sending.input, items) }
      const linked = [node, this.#fleet.driverOf(node)] as const
      const result = await (ms === undefined ? this.#ask(linked, share) : this.#orNothing(linked, share, ms))
      return { items, ...(result !== undefined && { result }) }
    }
    return Promise.all(this.#byNode(accounts(sending.input)).map(ask))
  }

  /** The nodes of accounts, each with the positions of its own. */
  #byNode(accounts: readonly string[]): [string, number[]][] {
    const nodes = new Map<string, number[]>()
    for (const [item, account] of accounts.entries()) {
      const node = this.#hooks.nodeOf(account)
      nodes.set(node, [...(nodes.get(node) ?? []), item])
    }
    return [...nodes]
  }

  /** The control plane's own host must answer. */
  #orNothing(linked: LinkedHost, sending: Sending, ms: number): Promise<unknown> {
    const [node] = linked
    const answer = this.#inTime(linked, sending, ms)
    if (node === localNode) return answer
    return answer.catch((error: unknown) => {
      this.#hooks.failed(node, error)
      return undefined
    })
  }

  /** Other nodes have a deadline. */
  #inTime(linked: LinkedHost, sending: Sending, ms: number): Promise<unknown> {
    const [node] = linked
    if (node === localNode) return this.#ask(linked, sending)
    const { after } = this.#hooks
    return within({ node, ms, after, signal: sending.options?.signal }, (signal) =>
      this.#ask(linked, { ...sending, options: { ...sending.options, signal } }),
    )
  }

  #ask([, host]: LinkedHost, { name, input, options }: Sending): Promise<unknown> {
    return sendTo(host, name, input, options)
  }
}

/** A node that is unreachable now is not asked for approval. */
function refuseAs(node: string, error: unknown): null {
  if (node === localNode || !(error instanceof HostError)) throw error
  if (error.code === 'unreachable') return null
  if (!(error instanceof FileError)) throw new HostError(error.stage, `Node ${node}: ${error.message}`, error.code)
  const { reason, field, message, size } = error
  const prefix = field === undefined ? '' : `${field}: `
  throw new FileError(reason, `${prefix}on node ${node}: ${message.replace(prefix, '')}`, field, size)
}
