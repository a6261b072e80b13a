import type { Metric, Metrics, Sample } from './registry.ts'

/** Upper bounds of the buckets, in milliseconds. */
const bounds = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

/** Response counts and durations of one operation. */
class Tally {
  readonly statuses = new Map<number, number>()
  readonly buckets: number[] = new Array(bounds.length + 1).fill(0)
  ms = 0

  record(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    this.ms += ms
    let place = 0
    while (place < bounds.length && ms > bounds[place]!) place++
    this.buckets[place]!++
  }
}

/** Records every request by operation. A hot path: two look-ups and a few additions. */
export class Requests {
  readonly #tallies = new Map<string, Tally>()

  constructor(metrics: Metrics) {
    metrics.add(this.#total())
    metrics.add(this.#duration())
  }

  record(operation: string, status: number, ms: number): void {
    let tally = this.#tallies.get(operation)
    if (!tally) {
      tally = new Tally()
      this.#tallies.set(operation, tally)
    }
    tally.record(status, ms)
  }

  #total(): Metric {
    const samples = (): Sample[] =>
      [...this.#tallies].flatMap(([operation, { statuses }]) =>
        Array.from(statuses, ([status, value]) => ({ value, labels: { operation, status: String(status) } })),
      )
    return { name: 'panel_requests_total', help: 'Requests answered.', type: 'counter', samples }
  }

  #duration(): Metric {
    const samples = () => [...this.#tallies].flatMap(([operation, tally]) => durations(operation, tally))
    return {
      name: 'panel_request_duration_seconds',
      help: 'Time from the head of a request to its response.',
      type: 'histogram',
      samples,
    }
  }
}

function durations(operation: string, { buckets, ms }: Tally): Sample[] {
  let below = 0
  const samples: Sample[] = buckets.map((count, place) => {
    below += count
    const bound = bounds[place]
    return {
      value: below,
      labels: { operation, le: bound === undefined ? '+Inf' : String(bound / 1000) },
      suffix: '_bucket',
    }
  })
  const labels = { operation }
  return [...samples, { value: ms / 1000, labels, suffix: '_sum' }, { value: below, labels, suffix: '_count' }]
}
