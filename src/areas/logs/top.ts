import type { Ranking } from '../../host/driver.ts'
import type { Top } from './tables.ts'

export const noTop: Top = { paths: [], referrers: [], statuses: [] }

/** Merges rankings, with at most `most` entries each. */
export const merged = (tops: readonly Top[], most: number): Top => ({
  paths: ranked(
    tops.map(({ paths }) => paths),
    most,
  ),
  referrers: ranked(
    tops.map(({ referrers }) => referrers),
    most,
  ),
  statuses: ranked(
    tops.map(({ statuses }) => statuses),
    most,
  ),
})

function ranked(rankings: readonly Ranking[], most: number): Ranking {
  const sums = new Map<string, number>()
  for (const [value, requests] of rankings.flat()) sums.set(value, (sums.get(value) ?? 0) + requests)
  return [...sums].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, most)
}

/** A site's own pages do not count as referrers. */
export const fromElsewhere = (referrers: Ranking, names: readonly string[]): Ranking =>
  referrers.filter(([referrer]) => !names.includes(referrer.slice(0, referrer.indexOf('/'))))
