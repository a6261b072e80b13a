import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { encode } from '../../agent/protocol/frames.ts'
import { FileFault, HostError } from '../../error.ts'
import { Inbox } from './inbox.ts'
import type { Failure, FromWorker, ToWorker } from './verbs.ts'

/** A process with the privileges of a home's owner, as seen by the agent. */
export class WorkerProcess {
  #uid: number | undefined
  readonly bytes: Duplex
  readonly ended: Promise<void>
  readonly #child: ChildProcess
  readonly #inbox: Inbox<FromWorker>
  #said = ''

  /**
   * `start` spawns it with pipes for its stdin, stdout, stderr and bytes. Without a uid it waits until it is told which
   * user to become. `line` gets its log lines.
   */
  constructor(start: () => ChildProcess, uid?: number, line: (text: string) => void = () => {}) {
    this.#uid = uid
    this.#child = start()
    this.ended = new Promise((resolve) => this.#child.once('close', () => resolve()))
    this.bytes = this.#child.stdio[3] as Duplex
    this.#inbox = new Inbox<FromWorker>(this.#child.stdout!, (message) => {
      if (message.type === 'line') line(message.text)
      return message.type === 'line'
    })
    for (const stream of [this.#child.stdin!, this.bytes]) stream.on('error', () => stream.destroy())
    this.#child.on('error', ({ message }) => this.#hear(message))
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
  }

  get uid(): number | undefined {
    return this.#uid
  }

  /** Binds it to one tenant for good. */
  become(uid: number): this {
    this.#uid = uid
    this.say({ type: 'become', uid })
    return this
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined
  }

  say(message: ToWorker): void {
    this.#child.stdin!.write(encode(message))
  }

  /** Its next message; throws if it failed. */
  async hear<Type extends FromWorker['type']>(type: Type): Promise<Extract<FromWorker, { type: Type }>> {
    const heard = await this.#inbox.next()
    if (heard?.type === type) return heard as Extract<FromWorker, { type: Type }>
    if (heard?.type === 'failed') throw errorOf(heard)
    const why = this.#said.trim().split('\n').at(-1)
    throw new HostError('stage', `The process that works in the home ended${why ? `: ${why}` : '.'}`)
  }

  /** Lets it clean up, and kills it if that takes long. */
  end(): void {
    this.#child.stdin!.end()
    this.bytes.destroy()
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), patience)
    this.#child.once('close', () => clearTimeout(kill))
  }

  #hear(text: string): void {
    this.#said = (this.#said + text).slice(-1000)
  }
}

const patience = 5_000

/**
 * Node.js, which is told which user to become. Had it been spawned with a tenant's privileges, that tenant's other
 * programs could take over its channels and answer in its place.
 */
export function startNode(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, words, {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
}

function errorOf({ message, stage, code, fault }: Failure): Error {
  if (fault) return FileFault.from(message, fault)
  return stage ? new HostError(stage, message, code) : new Error(message)
}
