import { type ChildProcess, spawn } from 'node:child_process'
import type { CommandEnd, CronCommand } from '../../commands.ts'
import { HostError } from '../../error.ts'
import { Tail } from '../../tenant/tail.ts'
import { type Run, systemEnvironment } from '../commands.ts'
import { unitOf, wordsOf } from './unit.ts'

const keptOutput = 65_536
const systemctl = '/usr/bin/systemctl'

/** Runs a command as its tenant until it has ended; what it left running ends with it, or at the time-out all of it. */
export async function runCommand(run: Run, command: CronCommand, signal?: AbortSignal): Promise<CommandEnd> {
  signal?.throwIfAborted()
  const child = spawn('/usr/bin/systemd-run', wordsOf(command), { env: systemEnvironment, cwd: '/', stdio: 'pipe' })
  const tail = new Tail(keptOutput)
  child.stdout.on('data', (chunk: Buffer) => tail.add(chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(`${command.command}\n`)
  const limit = limitOf(run, command, signal)
  const told = await saidBy(child).finally(limit.lift)
  signal?.throwIfAborted()
  return { ...endOf(told), timedOut: limit.timedOut(), ...tail.read() }
}

/** What systemd-run says of the unit: the command's own words go elsewhere. */
function saidBy(child: ChildProcess): Promise<string> {
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(said))
  })
}

const ending = /code=(exited|killed|dumped)[,/] ?status=([\w/]+)/

/** Exported for tests: how the main process ended, as both releases tell it. */
export function endOf(told: string): Pick<CommandEnd, 'exitCode' | 'signal'> {
  const [, code, status] = ending.exec(told) ?? []
  if (status === undefined) throw new HostError('stage', `The command could not be started: ${lastLine(told)}`)
  return code === 'exited' ? { exitCode: Number.parseInt(status, 10) } : { signal: `SIG${status.split('/').at(-1)}` }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 300) || 'systemd said nothing'

/** Kills everything that was started, at the time-out or on cancellation. */
function limitOf(run: Run, command: CronCommand, signal: AbortSignal | undefined) {
  let timedOut = false
  const kill = () =>
    void run(systemctl, ['kill', '--kill-whom=all', '--signal=KILL', unitOf(command)], { fine: [1, 5] }).catch(() => {})
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, command.timeoutS * 1000)
  signal?.addEventListener('abort', kill)
  return {
    timedOut: () => timedOut,
    lift() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', kill)
    },
  }
}
