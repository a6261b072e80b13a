import { type ChildProcess, spawn } from 'node:child_process'
import type { CommandEnd } from '../contract/commands/cron.ts'
import { environmentOf, type Tenant } from './environment.ts'
import { ended, limitOf, yieldTo } from './limit.ts'
import { Tail } from './tail.ts'

export interface TenantCommand extends Tenant {
  readonly command: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const MAX_OUTPUT_BYTES = 65_536
/**
 * Runs a shell command in the home, until it and the holders of its output have ended. At the time limit or when
 * aborted, all its processes are killed.
 */
export async function runCommand(request: TenantCommand): Promise<CommandEnd> {
  request.signal?.throwIfAborted()
  const child = start(request)
  const tail = new Tail(MAX_OUTPUT_BYTES)
  child.stdout!.on('data', (chunk: Buffer) => tail.add(chunk))
  const limit = limitOf(child, request)
  const end = await ended(child).finally(limit.lift)
  await limit.killed()
  request.signal?.throwIfAborted()
  return { ...end, timedOut: limit.timedOut(), ...tail.read() }
}

/** stderr goes to stdout, so that their order is kept. */
function start({ command, ...tenant }: TenantCommand): ChildProcess {
  const child = spawn('/bin/sh', ['-c', 'umask 022; exec /bin/sh -c "$1" 2>&1', 'sh', command], {
    cwd: tenant.home,
    env: environmentOf(tenant),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  if (child.pid !== undefined) yieldTo(child.pid)
  return child
}
