import type { KnownNode, NodeKeeper } from '../../node-port.ts'
import type { Asked, Guard } from '../client/link.ts'
import { isRoom } from '../protocol/arrival.ts'
import { type Frame, ProtocolError } from '../protocol/frames.ts'
import type { Inputs, Outcome, Progress, Results } from '../protocol/messages.ts'
import { isAnswer, isOutcome, isProgress, maxAnswerBytes } from './answers.ts'

/** Per command. */
const mostLines = 20_000
/** Unsolicited frames between two beats: a node has one to send a minute. */
const mostStrays = 100
/** Read between two beats. */
const MAX_BEAT_BYTES = 8 * 1024 * 1024
/** What a frame counts as at least: small ones cost as much to read. */
const MIN_FRAME_BYTES = 256
const asking = ['command', 'cancel', 'hello', 'ping']

interface NodeGuardParts {
  readonly node: KnownNode
  readonly keeper: NodeKeeper
  readonly certified: (digest: string) => void
  /** Called with a sentence before the link ends. */
  readonly broke: (what: string) => void
}

/** A node may only answer what it was asked, about its own accounts, and may ask for nothing. */
export class NodeGuard implements Guard {
  readonly #node: KnownNode
  readonly #keeper: NodeKeeper
  readonly #certified: (digest: string) => void
  readonly #broke: (what: string) => void
  #strays = 0
  #bytes = 0

  constructor({ node, keeper, certified, broke }: NodeGuardParts) {
    this.#node = node
    this.#keeper = keeper
    this.#certified = certified
    this.#broke = broke
  }

  answered(asked: Asked, outcome: Outcome): void {
    const { command, input } = asked
    if (!isOutcome(outcome)) this.#unlike(command)
    if (outcome.status !== 'done') return
    // First: only a well-formed answer has a bounded number of items.
    if (!isAnswer(asked, outcome.result)) this.#unlike(command)
    if (command === 'usage')
      this.#amongAsked(idsOf((input as Inputs['usage']).accounts), idsOf(outcome.result as Named))
    if (command === 'diffZones')
      this.#amongAsked(idsOf((input as Inputs['diffZones']).served), idsOf(outcome.result as Named))
    if (command === 'held') this.#held((input as Inputs['held']).ids, idsOf(outcome.result as Named))
    if (command === 'appStatus') this.#own('app', idsOf((outcome.result as Results['appStatus']).items))
  }

  /** Returns whether to pass the line on: one command must not fill the store. */
  progressed({ command }: Asked, frame: Progress, count: number): boolean {
    if (!isProgress(frame)) this.#unlike(command)
    return count <= mostLines
  }

  /** Resets the counts of unsolicited frames and of bytes. */
  beat(): void {
    this.#strays = 0
    this.#bytes = 0
  }

  /** Tenants of an honest node can produce any amount of output, so their node waits instead of being cut. */
  received(length: number): boolean {
    this.#bytes += Math.max(length, MIN_FRAME_BYTES)
    return this.#bytes <= MAX_BEAT_BYTES
  }

  maxAnswerBytes(asked: Asked): number {
    return maxAnswerBytes(asked)
  }

  oversized(asked?: Asked): never {
    if (asked) this.#break(`Node ${this.#node.name} sent a larger answer to ${asked.command} than one can be.`)
    this.#break(`Node ${this.#node.name} sent a large message that answers nothing.`)
  }

  stray(frame: Frame): void {
    if (++this.#strays > mostStrays) this.#break(`Node ${this.#node.name} sent too many unexpected messages.`)
    const { type, diskFreeMb, certificate } = frame
    if (type === 'facts' && certificate !== undefined) this.#certified(String(certificate))
    if (type === 'facts' && diskFreeMb !== undefined) return this.#room(diskFreeMb)
    if (type === 'answer') this.#break(`Node ${this.#node.name} answered what it was not asked.`)
    // Other types of frames may be from a newer version.
    if (asking.includes(String(type))) this.#break(`Node ${this.#node.name} asked for something, which no node may.`)
  }

  #room(diskFreeMb: unknown): void {
    if (!isRoom(diskFreeMb)) this.#break(`Node ${this.#node.name} reported an invalid amount of free space.`)
    this.#keeper.toldRoom(this.#node, diskFreeMb)
  }

  #held(asked: readonly string[] | undefined, held: readonly string[]): void {
    if (asked) this.#amongAsked(asked, held)
    else this.#own('account', held)
  }

  #amongAsked(asked: readonly string[], answered: readonly string[]): void {
    const known = new Set(asked)
    const other = answered.find((id) => !known.has(id))
    if (other !== undefined) this.#about('account', other)
  }

  #own(kind: 'account' | 'app', ids: readonly string[]): void {
    const other = this.#keeper.findElsewhere(kind, [...new Set(ids)], this.#node.name)
    if (other !== undefined) this.#about(kind, other)
  }

  #about(kind: string, id: string): never {
    return this.#break(`Node ${this.#node.name} answered about the ${kind} ${id}, which is not its own.`)
  }

  #unlike(command: string): never {
    return this.#break(`Node ${this.#node.name} answered ${command} with something that is not an answer to it.`)
  }

  #break(what: string): never {
    this.#broke(what)
    throw new ProtocolError(what)
  }
}

type Named = readonly { readonly id: string }[]

const idsOf = (items: Named): string[] => items.map(({ id }) => id)
