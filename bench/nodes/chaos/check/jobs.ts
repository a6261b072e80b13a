import type { Json, World } from '../../world.ts'
import type { Known } from '../known.ts'
import type { State } from './state.ts'

const ended = ['succeeded', 'cancelled']
const maxReported = 10

/** Each job that was promised is there, and all that there are have done their work. */
export async function jobProblems(world: World, { jobs }: State, known: readonly Known[]): Promise<string[]> {
  const promised = known.flatMap((one) => [...one.jobs].map((job) => [one.username, job] as const))
  const lost = promised.filter(([, job]) => !jobs.has(job)).map(([name, job]) => `${name}: job ${job} is lost`)
  const open = [...jobs.values()].filter(({ status }) => !ended.includes(status))
  const received = await Promise.all(open.slice(0, maxReported).map(({ id }) => world.sure('GET', `/jobs/${id}`)))
  return [
    ...lost,
    ...received.map(problemOf),
    ...(open.length > received.length ? [`${open.length} jobs like these`] : []),
  ]
}

/** With what it went through, as what broke last may not be all. */
function problemOf({ job, log }: Json): string {
  const { id, kind, node, status, error } = job
  const lines = log.map(({ at, message }: Json) => `${new Date(at).toISOString().slice(14, 23)} ${message}`)
  return [`job ${id} (${kind}, ${node}) is ${status}: ${error ?? 'open'}`, ...lines].join('\n  ')
}
