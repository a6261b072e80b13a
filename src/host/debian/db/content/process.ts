import { type ChildProcess, spawn } from 'node:child_process'
import type { Bytes } from '../../../backup/write.ts'
import { HostError } from '../../../contract/error.ts'
import { ProgramError } from '../../../programs/error.ts'
import { systemEnvironment } from '../../commands.ts'

export interface RunningProcess {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Ends what the program started elsewhere. */
  readonly end?: (() => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ProcessExit {
  readonly code: number | null
  /** Its error lines. */
  readonly output: readonly string[]
}

const MAX_OUTPUT_LENGTH = 65_536

/** A server that waits for a tenant's lock gives no bytes: what waits for it is ended. */
const DUMP_STALL_MS = 600_000
/** One statement may build the indexes of a large table. */
const LOAD_STALL_MS = 3_600_000
/** For what an ended program wrote last. */
const EXIT_GRACE_MS = 1_000

function begin({ program, args, env, end, signal }: RunningProcess, stdio: 'read' | 'write') {
  signal?.throwIfAborted()
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...systemEnvironment, ...env },
    stdio: stdio === 'read' ? ['ignore', 'pipe', 'pipe'] : ['pipe', 'ignore', 'pipe'],
  })
  const stop = (): void => {
    child.kill('SIGKILL')
    end?.()
    for (const stream of child.stdio) stream?.destroy()
  }
  child.once('exit', () => setTimeout(stop, EXIT_GRACE_MS).unref())
  signal?.addEventListener('abort', stop)
  const ended = endOf(child, program).finally(() => signal?.removeEventListener('abort', stop))
  ended.catch(() => {})
  return { child, ended, stop }
}

async function endOf(child: ChildProcess, program: string): Promise<ProcessExit> {
  let output = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MAX_OUTPUT_LENGTH) output += text
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', ({ message }) => reject(new ProgramError('install', { program, output: message })))
    child.once('close', resolve)
  })
  return { code, output: output.split('\n').filter((line) => line.trim() !== '') }
}

/** A program's output; `check` throws if it failed. */
export async function* readFrom(running: RunningProcess, check: (end: ProcessExit) => void): AsyncGenerator<Buffer> {
  const { child, ended, stop } = begin(running, 'read')
  const stall = new Stall(stop, DUMP_STALL_MS)
  try {
    stall.begin()
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      stall.end()
      yield chunk
      stall.begin()
    }
    const end = await ended
    running.signal?.throwIfAborted()
    stall.refuse()
    check(end)
  } finally {
    stall.end()
    stop()
    await ended.catch(() => {})
  }
}

/** Writes a program's input; stops if it ends early. */
export async function feed(running: RunningProcess, bytes: Bytes, check: (end: ProcessExit) => void): Promise<void> {
  const { child, ended, stop } = begin(running, 'write')
  const stall = new Stall(stop, LOAD_STALL_MS)
  try {
    await write(child, bytes, stall)
    stall.begin()
    const end = await ended
    running.signal?.throwIfAborted()
    stall.refuse()
    check(end)
  } finally {
    stall.end()
    stop()
    await ended.catch(() => {})
  }
}

async function write(child: ChildProcess, bytes: Bytes, stall: Stall): Promise<void> {
  const input = child.stdin!
  let isOpen = true
  const closed = new Promise<void>((resolve) => {
    input.once('close', () => {
      isOpen = false
      resolve()
    })
  })
  input.on('error', () => input.destroy())
  for await (const chunk of bytes) {
    if (!isOpen) return
    if (input.write(chunk)) continue
    stall.begin()
    await Promise.race([drained(input), closed])
    stall.end()
  }
  input.end()
}

const drained = (input: NodeJS.EventEmitter): Promise<void> =>
  new Promise((resolve) => void input.once('drain', () => resolve()))

/** Stops a program that has been waited for too long. */
class Stall {
  readonly #stop: () => void
  readonly #timeoutMs: number
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(stop: () => void, timeoutMs: number) {
    this.#stop = stop
    this.#timeoutMs = timeoutMs
  }

  begin(): void {
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#stop()
    }, this.#timeoutMs)
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  refuse(): void {
    if (!this.#isOver) return
    throw new HostError('stage', `MariaDB made no progress for ${this.#timeoutMs / 60_000} minutes.`)
  }
}
