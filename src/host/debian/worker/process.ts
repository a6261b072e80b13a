import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { encode } from '../../agent/protocol/frames.ts'
import { FileError, HostError } from '../../contract/error.ts'
import { ProgramError } from '../../programs/error.ts'
import { Inbox } from './inbox.ts'
import type { Failure, FromWorker, ToWorker } from './verbs.ts'
import type { Watched } from './watch.ts'

export interface WorkerOptions {
  /** Gets its log lines. */
  readonly line?: (text: string) => void
  /** Whether it needs no frames larger than a hello. */
  readonly isSmall?: boolean
}

/** For what an ended process wrote last; others may hold its channels for as long as they like. */
const EXIT_GRACE_MS = 1_000
/** To clean up before it is killed. */
const END_TIMEOUT_MS = 5_000

/** A process with the privileges of a home's owner, as seen by the agent. */
export class WorkerProcess implements Watched {
  #uid: number | undefined
  readonly bytes: Duplex
  readonly ended: Promise<void>
  answered = 0
  cpuMs = 0
  readonly #child: ChildProcess
  readonly #inbox: Inbox<FromWorker>
  readonly #line: (text: string) => void
  #output = ''
  #error: string | undefined
  /** Messages for when it is where it belongs. */
  #queued: ToWorker[] | undefined

  /** `start` spawns it with pipes for its stdin, stdout, stderr and bytes. It waits until told which user to become. */
  constructor(start: () => ChildProcess, { line = () => {}, ...options }: WorkerOptions = {}) {
    this.#line = line
    this.#child = start()
    this.ended = new Promise((resolve) => this.#child.once('close', () => resolve()))
    this.bytes = this.#child.stdio[3] as Duplex
    this.#inbox = new Inbox<FromWorker>(this.#child.stdout!, { ...options, heard: (message) => this.#heard(message) })
    for (const stream of [this.#child.stdin!, this.bytes]) stream.on('error', () => stream.destroy())
    this.#child.on('error', ({ message }) => this.#hear(message))
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
    this.#child.once('exit', () => setTimeout(() => this.#hangUp(), EXIT_GRACE_MS).unref())
  }

  get uid(): number | undefined {
    return this.#uid
  }

  /** Binds it to one tenant for good, once it is where it belongs. */
  become(uid: number, placed?: Promise<void>): this {
    this.#uid = uid
    if (placed) this.#hold(placed)
    this.say({ type: 'become', uid })
    return this
  }

  #hold(placed: Promise<void>): void {
    this.#queued = []
    placed.then(
      () => {
        const queued = this.#queued!
        this.#queued = undefined
        for (const message of queued) this.say(message)
      },
      (error: Error) => this.kill(error.message),
    )
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isOver(): boolean {
    const { exitCode, signalCode, pid } = this.#child
    return this.#error !== undefined || exitCode !== null || signalCode !== null || pid === undefined
  }

  get moved(): number {
    const { bytesRead = 0, bytesWritten = 0 } = this.bytes as Partial<Socket>
    return bytesRead + bytesWritten
  }

  isStopped(): boolean {
    try {
      return / T /.test(readFileSync(`/proc/${this.pid}/stat`, 'latin1').replace(/^.*\)/s, ''))
    } catch {
      return false
    }
  }

  beat(): void {
    this.say({ type: 'beat' })
  }

  say(message: ToWorker): void {
    if (this.#queued) this.#queued.push(message)
    else if (!this.#child.stdin!.destroyed) this.#child.stdin!.write(encode(message))
  }

  /** Its next message; throws if it failed. */
  async hear<Type extends FromWorker['type']>(type: Type): Promise<Extract<FromWorker, { type: Type }>> {
    const heard = await this.#inbox.next()
    if (heard?.type === type) return heard as Extract<FromWorker, { type: Type }>
    if (heard?.type === 'failed') throw errorOf(heard)
    if (heard) this.kill('The process that works in the home does not keep to the protocol.')
    // A caller may try again; a job fails with the sentence.
    if (this.#error !== undefined) throw new FileError('overloaded', this.#error)
    const tried = 'The process that works in the home ended'
    throw new ProgramError('stage', { program: process.execPath, tried, output: this.#output })
  }

  /** Lets it clean up, and kills it if that takes long. */
  end(): void {
    this.#child.stdin!.end()
    this.bytes.destroy()
    const kill = setTimeout(() => this.kill('It did not end.'), END_TIMEOUT_MS)
    this.#child.once('close', () => clearTimeout(kill))
  }

  /** Ends it at once, whatever state it is in; `message` is what is said of it from now on. */
  kill(message: string): void {
    this.#error ??= message
    this.#child.kill('SIGKILL')
    this.#hangUp()
  }

  #heard(message: FromWorker): boolean {
    if (message.type === 'line') this.#line(message.text)
    if (message.type === 'beat') {
      this.answered++
      this.cpuMs = message.cpuMs
    }
    return message.type === 'line' || message.type === 'beat'
  }

  #hangUp(): void {
    this.#inbox.destroy()
    for (const stream of [this.#child.stdin, this.#child.stderr, this.bytes]) stream?.destroy()
  }

  #hear(text: string): void {
    this.#output = (this.#output + text).slice(-1000)
  }
}

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

function errorOf({ message, stage, code, fileError: error }: Failure): Error {
  if (error) return FileError.from(message, error)
  return stage ? new HostError(stage, message, code) : new Error(message)
}
