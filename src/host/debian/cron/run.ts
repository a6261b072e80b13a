import { type CommandEnd, type CronCommand, MAX_OUTPUT_LENGTH } from '../../contract/commands/cron.ts'
import { ProgramError } from '../../programs/error.ts'
import { Tail } from '../../tenant/tail.ts'

/** One byte more than is kept, to detect truncation. */
export const readOutput = MAX_OUTPUT_LENGTH + 1

const ending = /code=(exited|killed|dumped)[,/] ?status=([\w/]+)/
const overTime = /with result: timeout/

/** What remains of a command: systemd's report on its unit, and the end of its output. */
export interface Remains {
  readonly systemdOutput: string
  readonly output: Buffer
  /** Its duration in milliseconds. */
  readonly tookMs: number
}

export function commandEnd({ timeoutS }: CronCommand, { systemdOutput, output, tookMs }: Remains): CommandEnd {
  const end = endOf(systemdOutput)
  const tail = new Tail(MAX_OUTPUT_LENGTH)
  tail.add(output)
  const timedOut = overTime.test(systemdOutput) || (end.signal !== undefined && tookMs >= timeoutS * 1000)
  return { ...end, timedOut, ...tail.read() }
}

/** Exported for tests: how the main process ended, in either release's wording. */
export function endOf(input: string): Pick<CommandEnd, 'exitCode' | 'signal'> {
  const [, code, status] = ending.exec(input) ?? []
  if (status === undefined)
    throw new ProgramError('stage', {
      program: 'systemd-run',
      tried: 'The command could not be started',
      output: input,
      end: 'systemd printed nothing',
    })
  return code === 'exited' ? { exitCode: Number.parseInt(status, 10) } : { signal: `SIG${status.split('/').at(-1)}` }
}
