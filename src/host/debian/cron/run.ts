import type { CommandEnd, CronCommand } from '../../commands.ts'
import { HostError } from '../../error.ts'
import { Tail } from '../../tenant/tail.ts'

/** A bit more than is kept of what a command writes, to tell whether it wrote more. */
export const readOutput = 65_537

const ending = /code=(exited|killed|dumped)[,/] ?status=([\w/]+)/
const overTime = /with result: timeout/

/** What is left of a command that has ended: what systemd said of its unit, and the last of what it wrote. */
export interface Remains {
  readonly said: string
  readonly output: Buffer
  /** For how long it ran, in milliseconds. */
  readonly tookMs: number
}

export function commandEnd({ timeoutS }: CronCommand, { said, output, tookMs }: Remains): CommandEnd {
  const end = endOf(said)
  const tail = new Tail(readOutput - 1)
  tail.add(output)
  const timedOut = overTime.test(said) || (end.signal !== undefined && tookMs >= timeoutS * 1000)
  return { ...end, timedOut, ...tail.read() }
}

/** Exported for tests: how the main process ended, as both releases tell it. */
export function endOf(told: string): Pick<CommandEnd, 'exitCode' | 'signal'> {
  const [, code, status] = ending.exec(told) ?? []
  if (status === undefined) throw new HostError('stage', `The command could not be started: ${lastLine(told)}`)
  return code === 'exited' ? { exitCode: Number.parseInt(status, 10) } : { signal: `SIG${status.split('/').at(-1)}` }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 300) || 'systemd said nothing'
