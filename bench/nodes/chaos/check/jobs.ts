import type { Known } from '../known.ts'
import type { State } from './state.ts'

const ended = ['succeeded', 'cancelled']

/** Each job that was promised is there, and all that there are have done their work. */
export function jobFaults({ jobs }: State, known: readonly Known[]): string[] {
  const promised = known.flatMap((one) => [...one.jobs].map((job) => [one.username, job] as const))
  const lost = promised.filter(([, job]) => !jobs.has(job)).map(([name, job]) => `${name}: job ${job} is lost`)
  const open = [...jobs.values()].filter(({ status }) => !ended.includes(status))
  return [...lost, ...open.map(({ kind, id, status, error }) => `job ${id} (${kind}) is ${status}: ${error ?? 'open'}`)]
}
