import type { Steps } from '../../../runtime/operations/slices.ts'
import type { Db } from '../../../store/open.ts'
import type { MailLoopRow } from '../tables.ts'
import { cyclesIn } from './cycles.ts'
import { MailNetwork } from './network.ts'

/** Objects of an account that are shown. */
const MAX_LOOPS_OF_ACCOUNT = 20

export type FoundLoop = Omit<MailLoopRow, 'since'>

/** What sends mail that comes back to it, in all accounts. */
export function* findLoops(db: Db): Steps<FoundLoop[]> {
  const network = new MailNetwork(db)
  yield* network.load()
  const next = (address: string): string[] => network.hop(address).edges.map(({ to }) => to)
  const found = new FoundLoops()
  for (const cycle of yield* cyclesIn(network.starts, next))
    for (const loop of yield* endless(network, cycle)) yield* found.add(network, loop)
  return found.all
}

/**
 * The parts of a cycle where mail never ends. While the mail server expands one message, an address that keeps a copy
 * ends the loop; a message that a filter forwards, or that goes to another node, is expanded anew.
 */
function* endless(network: MailNetwork, cycle: readonly string[]): Steps<readonly (readonly string[])[]> {
  const members = new Set(cycle)
  const passing = new Set<string>()
  for (const address of cycle) {
    const { node, edges, keepsCopy } = network.hop(address)
    if (edges.some(({ via, to }) => members.has(to) && (via === 'filter' || network.hop(to).node !== node)))
      return [cycle]
    if (!keepsCopy) passing.add(address)
    yield
  }
  const next = (address: string): string[] =>
    network.hop(address).edges.flatMap(({ to }) => (passing.has(to) ? [to] : []))
  return yield* cyclesIn(passing, next)
}

/** One entry for each object. */
class FoundLoops {
  readonly #found = new Map<string, FoundLoop>()
  readonly #counts = new Map<string, number>()

  get all(): FoundLoop[] {
    return [...this.#found.values()]
  }

  *add(network: MailNetwork, loop: readonly string[]): Steps<void> {
    const members = new Set(loop)
    for (const address of loop) {
      const { account_id, edges } = network.hop(address)
      for (const { via, object_id, to } of edges)
        if (members.has(to)) this.#put({ object_id, account_id, via, address, next: to })
      yield
    }
  }

  #put(one: FoundLoop): void {
    const count = this.#counts.get(one.account_id) ?? 0
    if (this.#found.has(one.object_id) || count >= MAX_LOOPS_OF_ACCOUNT) return
    this.#found.set(one.object_id, one)
    this.#counts.set(one.account_id, count + 1)
  }
}
