import { type ChildProcess, spawn } from 'node:child_process'
import type { CommandEnd } from '../commands.ts'
import { environmentOf, type Tenant } from './environment.ts'
import { ended, giveWay, limitOf } from './limit.ts'
import { Tail } from './tail.ts'

export interface Command extends Tenant {
  readonly command: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const keptOutput = 65_536
/**
 * Runs a shell command in the home, until it and the holders of its output have ended. At the time limit or when
 * aborted, all its processes are killed.
 */
export async function runCommand(wanted: Command): Promise<CommandEnd> {
  wanted.signal?.throwIfAborted()
  const child = start(wanted)
  const tail = new Tail(keptOutput)
  child.stdout!.on('data', (chunk: Buffer) => tail.add(chunk))
  const limit = limitOf(child, wanted)
  const end = await ended(child).finally(limit.lift)
  await limit.killed()
  wanted.signal?.throwIfAborted()
  return { ...end, timedOut: limit.timedOut(), ...tail.read() }
}

/** stderr goes to stdout, so that their order is kept. */
function start({ command, ...tenant }: Command): ChildProcess {
  const child = spawn('/bin/sh', ['-c', 'umask 022; exec /bin/sh -c "$1" 2>&1', 'sh', command], {
    cwd: tenant.home,
    env: environmentOf(tenant),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  if (child.pid !== undefined) giveWay(child.pid)
  return child
}
