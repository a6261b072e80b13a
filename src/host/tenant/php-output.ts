import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { HostError } from '../contract/error.ts'

const MAX_OUTPUT_BYTES = 1024 * 1024
/** For output that is still in the pipe, which another process of the tenant may hold open. */
const LAST_OUTPUT_MS = 1_000

/**
 * The output of a tenant's PHP, which reads its script from standard input. `kill` ends all its processes; a larger output
 * is an error.
 */
export async function phpOutput(child: ChildProcess, script: string, kill: () => void): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  child.stdin!.on('error', () => {}).end(script)
  child.stdout!.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_OUTPUT_BYTES) return void chunks.push(chunk)
    // Nothing more is read: killing takes a moment, in which a tenant can print much.
    child.stdout!.destroy()
    kill()
  })
  const closed = once(child, 'close')
  await Promise.race([once(child, 'exit'), closed])
  await Promise.race([closed, pause(LAST_OUTPUT_MS)])
  child.stdout!.destroy()
  if (size > MAX_OUTPUT_BYTES) throw new HostError('stage', 'The site printed more than an answer may have.')
  return Buffer.concat(chunks).toString('utf8')
}
