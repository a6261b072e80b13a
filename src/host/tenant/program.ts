import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { ended, limitOf, type WorkerExit, type WorkerLimits, yieldTo } from './limit.ts'
import { Lines } from './lines.ts'
import { endAll } from './processes.ts'

export interface Program extends WorkerLimits {
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** It can read this once, from descriptor 3. */
  readonly secret?: string | undefined
  /** Called with each line of its output, stderr included. */
  readonly line: (text: string) => void
}

export interface ProgramEnd extends WorkerExit {
  readonly timedOut: boolean
}

const MAX_LINE_LENGTH = 40_960

/** Runs a program until it ends; kills what it leaves running, and all of it at the time limit or when aborted. */
export async function runProgram(program: Program): Promise<ProgramEnd> {
  program.signal?.throwIfAborted()
  const child = start(program)
  const lines = new Lines(MAX_LINE_LENGTH, program.line)
  child.stdout!.on('data', (chunk: Buffer) => lines.add(chunk))
  const limit = limitOf(child, program)
  let swept: Promise<unknown> | undefined
  child.once('exit', () => {
    swept = endAll({ mark: program.mark, session: child.pid })
  })
  const end = await ended(child).finally(limit.lift)
  await limit.killed()
  // The next program may carry the same mark.
  await swept
  lines.end()
  program.signal?.throwIfAborted()
  return { ...end, timedOut: limit.timedOut() }
}

function start({ words, cwd, env, secret }: Program): ChildProcess {
  const child = spawn('/bin/sh', ['-c', 'umask 022; exec "$@" 2>&1', 'sh', ...words], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'ignore', ...(secret === undefined ? [] : ['pipe' as const])],
    detached: true,
  })
  if (child.pid !== undefined) yieldTo(child.pid)
  if (secret !== undefined) report(child.stdio[3] as Writable, secret)
  return child
}

/** It need not read it. */
function report(pipe: Writable, secret: string): void {
  pipe.on('error', () => {})
  pipe.end(secret)
}
