import { randomBytes } from 'node:crypto'
import { FairMap, type Holder } from '../../shared/fair-map.ts'
import { sameSecret } from '../../shared/same-secret.ts'
import type { Actor } from '../operations/actor.ts'
import type { Runtime } from '../runtime.ts'

/** How long a person may take to approve a change of an AI agent, or to see a secret that it caused. */
export const TICKET_TTL_MS = 10 * 60_000
const MAX_TICKETS = 1000
const MAX_TICKETS_PER_PRINCIPAL = 50

export interface AgentSecret {
  readonly name: string
  readonly value: string
}

/** Something between an AI agent and the person it acts for: a change to approve, or secrets to see once. */
export interface AgentTicket {
  readonly id: string
  readonly principal: Pick<Actor, 'type' | 'id'>
  readonly client: string | undefined
  readonly sentence: string
  readonly expiresAt: number
  /** The change that it approves. */
  readonly fingerprint?: string
  readonly secrets?: readonly AgentSecret[]
  decision?: 'approved' | 'declined'
}

/** Only in memory: a secret is never stored, and a restart ends them all. */
export class AgentTickets {
  readonly #now: () => number
  readonly #all = new FairMap<AgentTicket>(MAX_TICKETS)

  constructor(now: () => number) {
    this.#now = now
  }

  /** Without a holder it is root's. */
  add(ticket: Omit<AgentTicket, 'id' | 'expiresAt'>, holder?: Holder): AgentTicket {
    this.#prune()
    const own = [...this.#all.values()].filter((one) => isSame(one.principal, ticket.principal))
    if (own.length >= MAX_TICKETS_PER_PRINCIPAL) this.#all.delete(own[0]!.id)
    const added = { ...ticket, id: randomBytes(24).toString('base64url'), expiresAt: this.#now() + TICKET_TTL_MS }
    this.#all.set(added.id, added, holder)
    return added
  }

  /** A principal's own ticket of a kind. */
  find(id: string, principal: Pick<Actor, 'type' | 'id'>, kind: 'approve' | 'reveal'): AgentTicket | undefined {
    this.#prune()
    const found = this.#all.get(id)
    if (!found || !isSame(found.principal, principal)) return undefined
    return (kind === 'reveal') === (found.secrets !== undefined) ? found : undefined
  }

  /** The open or decided approval of a change. */
  approvalOf(fingerprint: string): AgentTicket | undefined {
    this.#prune()
    return [...this.#all.values()].find((one) => sameSecret(one.fingerprint ?? '', fingerprint))
  }

  decide(id: string, decision: 'approved' | 'declined'): void {
    const found = this.#all.get(id)
    if (found) found.decision ??= decision
  }

  remove(id: string): void {
    this.#all.delete(id)
  }

  #prune(): void {
    this.#all.deleteWhere(({ expiresAt }) => expiresAt <= this.#now())
  }
}

const isSame = (one: Pick<Actor, 'type' | 'id'>, other: Pick<Actor, 'type' | 'id'>): boolean =>
  one.type === other.type && one.id === other.id

const tickets = new WeakMap<Runtime, AgentTickets>()

/** The server's tickets. */
export function agentTickets(runtime: Runtime): AgentTickets {
  const own = tickets.get(runtime) ?? new AgentTickets(() => runtime.clock.now())
  tickets.set(runtime, own)
  return own
}
