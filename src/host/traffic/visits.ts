import { createHmac } from 'node:crypto'
import type { Ranking, SiteLog, VisitDay, Visits, VisitsRequest } from '../contract/commands/logs.ts'
import { MAX_RANKED } from '../contract/logs.ts'
import type { Directory } from '../homes/home/directory.ts'
import { type Request, requestIn } from './combined.ts'
import { type ReadLog, readOn } from './follow.ts'

const bot =
  /(?<!cu)bot(?:\b|[/_-])|crawl|spider|slurp|archiver|scan|monitor|preview|fetch|feed|headless|curl|wget|python|perl|ruby|java\/|okhttp|go-http|http-?client|axios|^-?$/i

type Counts = Map<string, number>
type Reading = Pick<VisitsRequest, 'first' | 'last' | 'maxBytes' | 'salts'>

/** A site's visits of each day in its access log, from a position on. */
export async function visitsOf(
  logs: Directory,
  { file, since }: Pick<SiteLog, 'file' | 'since'>,
  { salts, first, ...reading }: Reading,
): Promise<Visits & Pick<ReadLog, 'length'>> {
  const salted = new Map(salts.map(({ day, salt }) => [day, salt]))
  const days = new Map<string, Day>()
  const { next, more, length } = await readOn(logs, `${file}.access.log`, { since, ...reading }, (line) => {
    const request = requestIn(line)
    if (!request || request.day < first || request.day > reading.last) return
    const day = days.get(request.day) ?? new Day(salted.get(request.day))
    days.set(request.day, day)
    day.add(request)
  })
  return { next, more, length, days: [...days].map(([day, counted]) => counted.input(day)) }
}

class Day {
  readonly #salt: string | undefined
  readonly #seen = new Set<string>()
  readonly #paths: Counts = new Map()
  readonly #referrers: Counts = new Map()
  readonly #statuses: Counts = new Map()
  #requests = 0
  #bytes = 0
  #bots = 0

  constructor(salt: string | undefined) {
    this.#salt = salt
  }

  add({ address, agent, path, referrer, status, bytes }: Request): void {
    this.#requests += 1
    this.#bytes += bytes
    count(this.#paths, path)
    count(this.#referrers, referrer)
    count(this.#statuses, status)
    if (bot.test(agent)) this.#bots += 1
    else this.#seen.add(`${address}\0${agent}`)
  }

  input(day: string): VisitDay {
    return {
      day,
      requests: this.#requests,
      bytes: this.#bytes,
      bots: this.#bots,
      visitors: [...this.#seen].flatMap((who) => hashed(this.#salt, who)),
      paths: ranking(this.#paths),
      referrers: ranking(this.#referrers),
      statuses: ranking(this.#statuses),
    }
  }
}

function count(counts: Counts, value: string | undefined): void {
  if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
}

/** Without its salt it does not identify anyone. */
const hashed = (salt: string | undefined, who: string): string[] =>
  salt === undefined ? [] : [createHmac('sha256', salt).update(who, 'latin1').digest('hex').slice(0, 16)]

const ranking = (counts: Counts): Ranking => [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_RANKED)
