import { type ChildProcess, spawn } from 'node:child_process'
import type { Bytes } from '../../../backup/write.ts'
import { HostError } from '../../../error.ts'
import { systemEnvironment } from '../../commands.ts'

export interface Running {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The user to run as; by default this process's own. */
  readonly uid?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Ended {
  readonly code: number | null
  /** Its error lines. */
  readonly said: readonly string[]
}

const keptWords = 65_536

function begin({ program, args, env, uid, signal }: Running, stdio: 'read' | 'write') {
  signal?.throwIfAborted()
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...systemEnvironment, ...env },
    stdio: stdio === 'read' ? ['ignore', 'pipe', 'pipe'] : ['pipe', 'ignore', 'pipe'],
    ...(uid !== undefined && uid !== process.getuid?.() && { uid, gid: uid }),
  })
  const stop = (): void => void child.kill('SIGKILL')
  signal?.addEventListener('abort', stop)
  const ended = endOf(child).finally(() => signal?.removeEventListener('abort', stop))
  ended.catch(() => {})
  return { child, ended, stop }
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < keptWords) said += text
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(new HostError('install', error.message)))
    child.once('close', resolve)
  })
  return { code, said: said.split('\n').filter((line) => line.trim() !== '') }
}

/** A program's output; `judge` throws if it failed. */
export async function* readFrom(running: Running, judge: (end: Ended) => void): AsyncGenerator<Buffer> {
  const { child, ended, stop } = begin(running, 'read')
  try {
    yield* child.stdout as AsyncIterable<Buffer>
    const end = await ended
    running.signal?.throwIfAborted()
    judge(end)
  } finally {
    stop()
    await ended.catch(() => {})
  }
}

/** Writes a program's input; stops if it ends early. */
export async function feed(running: Running, bytes: Bytes, judge: (end: Ended) => void): Promise<void> {
  const { child, ended, stop } = begin(running, 'write')
  try {
    await write(child, bytes)
    const end = await ended
    running.signal?.throwIfAborted()
    judge(end)
  } finally {
    stop()
    await ended.catch(() => {})
  }
}

async function write(child: ChildProcess, bytes: Bytes): Promise<void> {
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
    if (!input.write(chunk)) await Promise.race([drained(input), closed])
  }
  input.end()
}

const drained = (input: NodeJS.EventEmitter): Promise<void> =>
  new Promise((resolve) => void input.once('drain', () => resolve()))
