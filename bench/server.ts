import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A process that serves until it is stopped. */
export interface Server {
  readonly url: string
  readonly pid: number
  /** Milliseconds from its start until it said where it listens. */
  readonly startup: number
  stop(): Promise<void>
}

/** Starts node with these words, and waits for the line that says where it listens. */
export async function startServer(words: readonly string[], env: Record<string, string> = {}): Promise<Server> {
  const began = performance.now()
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  const url = await listening(child)
  return { url, pid: child.pid!, startup: performance.now() - began, stop: () => stop(child) }
}

async function listening(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdout!)) {
    const url = /listens on (\S+)/.exec(line)?.[1]
    if (url) return url
  }
  throw new Error(`${child.spawnargs.join(' ')} did not start`)
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** The processes that a process has started. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Megabytes of memory that a process holds, and the most it ever held. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}
