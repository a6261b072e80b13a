import { median, rounded } from './figures.ts'
import type { Load } from './load/load.ts'
import type { Row } from './row.ts'

export const rounds = 3

/** A figure taken once in every round. */
type Take<T> = () => Promise<T>

/** Takes all in turn, round by round, so that whatever else the machine does falls on all alike. */
export async function inTurn<T>(
  takes: Readonly<Record<string, Take<T>>>,
  times = rounds,
): Promise<Record<string, T[]>> {
  const taken: Record<string, T[]> = Object.fromEntries(Object.keys(takes).map((name) => [name, []]))
  for (let round = 0; round < times; round++)
    for (const [name, take] of Object.entries(takes)) taken[name]!.push(await take())
  return taken
}

/** The median over the rounds of what one is of the other. */
export const ratioOf = (these: readonly number[], those: readonly number[]): number =>
  rounded(median(these.map((value, round) => value / those[round]!)))

/** Requests a second of the panel beside those of its baselines. */
export async function compareLoads(
  what: string,
  panel: Take<Load>,
  baselines: Readonly<Record<string, Take<Load>>>,
): Promise<Row> {
  const taken = await inTurn({ panel, ...baselines })
  const rates = (name: string) => taken[name]!.map(({ perSecond }) => perSecond)
  return {
    what,
    value: rounded(median(rates('panel'))),
    unit: 'requests/s',
    p50: rounded(median(taken['panel']!.map(({ p50 }) => p50))),
    p99: rounded(median(taken['panel']!.map(({ p99 }) => p99))),
    ratios: Object.fromEntries(Object.keys(baselines).map((name) => [name, ratioOf(rates('panel'), rates(name))])),
  }
}
