import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { BuiltRelease, MakeDoing } from '../../apps/app-runner.ts'
import { checkMade } from '../../apps/validate.ts'
import type { DeployRequest } from '../../contract/commands/apps.ts'
import { systemEnvironment } from '../commands.ts'
import { BUILD_GRACE_MS } from '../worker/limits.ts'
import { WorkerProcess } from '../worker/process.ts'
import { Conversation } from '../worker/request.ts'
import { buildUnits, programPath, unitWords } from './unit.ts'
import type { Units } from './units.ts'

/** Made and checked by the build itself, which keeps fewer. */
const MAX_LINES = 10_000
/** The part of the agent's environment that builds inherit. */
const passedOn = ['GIT_SSL_CAINFO', 'TZ'] as const

/** Exported for tests: systemd-run's arguments for a build. The order itself goes through standard input. */
export function buildWords({ account, app, release, buildTimeoutS }: DeployRequest, name: string): string[] {
  const { username } = account
  const properties = ['Nice=10', 'TimeoutStopSec=5', `RuntimeMaxSec=${buildTimeoutS + BUILD_GRACE_MS / 1000}`]
  const passed = passedOn.flatMap((one) => (process.env[one] ? [`--setenv=${one}=${process.env[one]}`] : []))
  return [
    '--pipe',
    '--wait',
    '--collect',
    ...unitWords({ name, description: `Build of ${app.name} ${release} of ${username}`, username, properties }),
    `--setenv=PATH=${programPath}`,
    ...passed,
  ]
}

/**
 * Builds a release in a unit of its owner's slice, which ends together with what it started. Its first process starts
 * as root and drops its privileges, so that no other program of the owner can take over its channel to this process.
 */
export async function build(
  units: Units,
  worker: readonly string[],
  order: DeployRequest,
  { log, signal }: MakeDoing,
): Promise<BuiltRelease> {
  signal.throwIfAborted()
  const name = buildUnits(order.account.username).replace('*', `${order.app.id}-${randomBytes(4).toString('hex')}`)
  const start = (): ChildProcess =>
    spawn('/usr/bin/systemd-run', [...buildWords(order, name), process.execPath, ...worker], {
      cwd: '/',
      env: systemEnvironment,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
  let lines = 0
  const line = (text: string): void => {
    if (lines++ < MAX_LINES) log.line(text)
    else process_.kill('The build said more than a build may say.')
  }
  const process_ = new WorkerProcess(start, { line, isSmall: true }).become(order.account.uid)
  try {
    const input = { verb: 'make', username: order.account.username, input: order } as const
    const made = await new Conversation(process_, input, () => process_.end(), signal).done()
    checkMade(made)
    return made
  } finally {
    await units.kill(name)
    process_.kill('The build has ended.')
  }
}
