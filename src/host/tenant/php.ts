import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { AccountName } from '../contract/account.ts'
import { HostError } from '../contract/error.ts'
import { environmentOf, type Tenant } from './environment.ts'
import { limitOf, yieldTo } from './limit.ts'
import { phpOutput } from './php-output.ts'
import { endAll } from './processes.ts'

/** A script that a tenant's PHP reads from standard input. */
export interface PhpScript {
  readonly account: AccountName
  readonly php: string
  readonly script: string
  readonly timeoutS: number
}

/** PHP's own settings, whatever files of the tenant's say. */
export const phpOptions = [
  'auto_prepend_file=',
  'auto_append_file=',
  'memory_limit=256M',
  'sendmail_path=/bin/true',
].flatMap((one) => ['-d', one])

export const tookTooLong = (timeoutS: number): HostError =>
  new HostError('stage', `The site's code did not end within ${timeoutS} seconds.`)

export interface TenantPhp extends Tenant, Omit<PhpScript, 'account'> {
  readonly signal?: AbortSignal | undefined
}

/** Runs a script; at the time limit or when aborted, all its processes are killed. */
export async function runPhp({ php, script, timeoutS, signal, ...tenant }: TenantPhp): Promise<string> {
  signal?.throwIfAborted()
  const own = `/usr/bin/php${php}`
  const child = spawn(existsSync(own) ? own : 'php', phpOptions, {
    cwd: tenant.home,
    env: environmentOf(tenant),
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const failed = new Promise<never>((_resolve, reject) =>
    child.once('error', () => reject(new HostError('stage', 'PHP is not installed on this host.'))),
  )
  if (child.pid !== undefined) yieldTo(child.pid)
  const limit = limitOf(child, { mark: tenant.mark, timeoutMs: timeoutS * 1000, signal })
  const end = () => endAll({ mark: tenant.mark, session: child.pid })
  const output = await Promise.race([phpOutput(child, script, () => void end()), failed]).finally(limit.lift)
  await end()
  signal?.throwIfAborted()
  if (limit.timedOut()) throw tookTooLong(timeoutS)
  return output
}
