import type { Ranking } from '../../host/contract/driver.ts'
import type { Top } from './tables.ts'

export const noTop: Top = { paths: [], referrers: [], statuses: [] }

/** Merges rankings, with at most `max` entries each. */
export const merged = (tops: readonly Top[], max: number): Top => ({
  paths: ranked(
    tops.map(({ paths }) => paths),
    max,
  ),
  referrers: ranked(
    tops.map(({ referrers }) => referrers),
    max,
  ),
  statuses: ranked(
    tops.map(({ statuses }) => statuses),
    max,
  ),
})

function ranked(rankings: readonly Ranking[], max: number): Ranking {
  const sums = new Map<string, number>()
  for (const [value, requests] of rankings.flat()) sums.set(value, (sums.get(value) ?? 0) + requests)
  return [...sums].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, max)
}

/** A site's own pages do not count as referrers. */
export const fromElsewhere = (referrers: Ranking, names: readonly string[]): Ranking =>
  referrers.filter(([referrer]) => !names.includes(referrer.slice(0, referrer.indexOf('/'))))
