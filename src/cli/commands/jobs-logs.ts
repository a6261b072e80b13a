import { clientOf, type Invocation } from '../invocation.ts'
import { linesOf } from '../output/log.ts'
import { type JobAndLog, type LogLine, readJob, watch } from '../request/job.ts'
import { data, outputClosed } from '../terminal.ts'
import { jobArgument } from './argument.ts'

/** Prints the log of a job, with `--follow` until it has ended. */
export async function run(invocation: Invocation): Promise<void> {
  const client = clientOf(invocation)
  const followed = { job: await jobArgument(invocation, client) }
  if (!invocation.option('follow')) return print(invocation, (await readJob(client, followed)).log)
  const lines: LogLine[] = []
  const gone = new AbortController()
  const show = ({ log }: JobAndLog): void => {
    if (isOneDocument(invocation)) lines.push(...log)
    else if (log.length > 0) print(invocation, log)
    if (outputClosed()) gone.abort()
  }
  await watch(client, followed, { show, deadline: Number.POSITIVE_INFINITY, signal: gone.signal }).catch((error) => {
    if (!gone.signal.aborted) throw error
  })
  if (isOneDocument(invocation)) print(invocation, lines)
}

const isOneDocument = ({ globals }: Invocation): boolean => globals.output === 'json' || globals.output === 'yaml'

function print({ globals }: Invocation, log: readonly LogLine[]): void {
  if (globals.output === 'json') data(`${JSON.stringify(log, null, 2)}\n`)
  else if (globals.output === 'jsonl') data(log.map((line) => `${JSON.stringify(line)}\n`).join(''))
  else data(linesOf(log))
}
