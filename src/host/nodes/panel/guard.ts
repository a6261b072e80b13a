import type { Guard, PendingCommand } from '../../agent/client/link.ts'
import { type Frame, ProtocolError } from '../../agent/protocol/frames.ts'
import type { CommandOutcome, Progress } from '../../agent/protocol/messages.ts'
import { isRoom } from '../../agent/protocol/node-hello.ts'
import type { FrameSize } from '../../agent/protocol/wire.ts'
import type { Subjects } from '../../contract/command.ts'
import { commandOf } from '../../contract/commands/index.ts'
import type { KnownNode, NodeKeeper } from '../../contract/node-port.ts'
import { isOutcome, isProgress, maxAnswerBytes, readAnswer } from './answers.ts'

/** Per command. */
const MAX_LINES = 20_000
/** Unsolicited frames between two beats: a node has one to send a minute. */
const MAX_UNEXPECTED_FRAMES = 100
/** Read between two beats. */
const MAX_BEAT_BYTES = 8 * 1024 * 1024
/** What a frame counts as at least: small ones cost as much to read. */
const MIN_FRAME_BYTES = 256
/** What a value counts as at least: small ones cost as much to make. */
const MIN_VALUE_BYTES = 16
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

  answered(request: PendingCommand, outcome: CommandOutcome): CommandOutcome {
    const { command, input } = request
    if (!isOutcome(outcome)) this.#unlike(command)
    if (outcome.status !== 'done') return outcome
    // First: only a well-formed answer has a bounded number of items.
    const answer = readAnswer(request, outcome.result)
    if (!answer) this.#unlike(command)
    const { subjects } = commandOf(command)
    if (subjects) this.#refuseOthers(subjects, input, answer.value)
    return { status: 'done', result: answer.value as typeof outcome.result }
  }

  /** Returns whether to pass the line on: one command must not fill the store. */
  progressed({ command }: PendingCommand, frame: Progress, count: number): boolean {
    if (!isProgress(frame)) this.#unlike(command)
    return count <= MAX_LINES
  }

  /** Resets the counts of unsolicited frames and of bytes. */
  beat(): void {
    this.#strays = 0
    this.#bytes = 0
  }

  /** Tenants of an honest node can produce any amount of output, so their node waits instead of being cut. */
  received({ length, values }: FrameSize): boolean {
    this.#bytes += Math.max(length, values * MIN_VALUE_BYTES, MIN_FRAME_BYTES)
    return this.#bytes <= MAX_BEAT_BYTES
  }

  maxAnswerBytes(request: PendingCommand): number {
    return maxAnswerBytes(request)
  }

  oversized(request?: PendingCommand): never {
    if (request) this.#break(`Node ${this.#node.name} sent a larger answer to ${request.command} than one can be.`)
    this.#break(`Node ${this.#node.name} sent a large message that answers nothing.`)
  }

  stray(frame: Frame): void {
    if (++this.#strays > MAX_UNEXPECTED_FRAMES)
      this.#break(`Node ${this.#node.name} sent too many unexpected messages.`)
    const { type, diskFreeMb, certificate } = frame
    if (type === 'facts' && certificate !== undefined) this.#certified(String(certificate))
    if (type === 'facts' && diskFreeMb !== undefined) return this.#room(diskFreeMb)
    if (type === 'answer') this.#break(`Node ${this.#node.name} answered what it was not asked.`)
    // Other types of frames may be from a newer version.
    if (asking.includes(String(type))) this.#break(`Node ${this.#node.name} asked for something, which no node may.`)
  }

  #room(diskFreeMb: unknown): void {
    if (!isRoom(diskFreeMb)) this.#break(`Node ${this.#node.name} reported an invalid amount of free space.`)
    this.#keeper.reportedFreeSpace(this.#node, diskFreeMb)
  }

  #refuseOthers({ kind, ids, among }: Subjects<unknown, unknown>, input: unknown, result: unknown): void {
    const request = among?.(input)
    if (request) this.#amongRequested(kind, request, ids(result))
    else this.#own(kind, ids(result))
  }

  #amongRequested(kind: string, request: readonly string[], answered: readonly string[]): void {
    const known = new Set(request)
    const other = answered.find((id) => !known.has(id))
    if (other !== undefined) this.#about(kind, other)
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
