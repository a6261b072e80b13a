/** One sample of a metric: labels and current value. */
export interface Sample {
  readonly value: number
  readonly labels?: Readonly<Record<string, string>>
  /** After the metric's name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string
}

/** A metric, in Prometheus terms. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Omitted while it has no samples. */
  readonly optional?: true
  samples(): readonly Sample[]
}

/** The server's metrics. Areas and listeners register what they measure. */
export class Metrics {
  readonly #metrics = new Map<string, Metric>()

  add<M extends Metric>(metric: M): M {
    if (this.#metrics.has(metric.name)) throw new Error(`Two metrics are named ${metric.name}`)
    this.#metrics.set(metric.name, metric)
    return metric
  }

  gauge(name: string, help: string, read: () => number): void {
    this.add({ name, help, type: 'gauge', samples: () => [{ value: read() }] })
  }

  /** Returns the same counter for the same name. */
  counter(name: string, help: string, ...labels: string[]): Counter {
    const known = this.#metrics.get(name)
    return known instanceof Counter ? known : this.add(new Counter(name, help, labels))
  }

  /** All metrics in the Prometheus text format. Metrics that cannot be read now are omitted. */
  text(onError: (metric: Metric, error: unknown) => void): string {
    return [...this.#metrics.values()].map((metric) => textOf(metric, onError)).join('')
  }
}

/** A counter with a value for each combination of labels. */
export class Counter implements Metric {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly #labels: readonly string[]
  readonly #counts = new Map<string, number>()

  constructor(name: string, help: string, labels: readonly string[]) {
    this.name = name
    this.help = help
    this.#labels = labels
  }

  inc(...values: string[]): void {
    const key = values.join('\0')
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  samples(): Sample[] {
    if (this.#labels.length === 0) return [{ value: this.#counts.get('') ?? 0 }]
    return [...this.#counts].map(([key, value]) => {
      const values = key.split('\0')
      return { value, labels: Object.fromEntries(this.#labels.map((label, place) => [label, values[place]!])) }
    })
  }
}

function textOf(metric: Metric, onError: (metric: Metric, error: unknown) => void): string {
  try {
    const lines = metric.samples().map((sample) => lineOf(metric.name, sample))
    if (metric.optional && lines.length === 0) return ''
    return `# HELP ${metric.name} ${metric.help}\n# TYPE ${metric.name} ${metric.type}\n${lines.join('')}`
  } catch (error) {
    onError(metric, error)
    return ''
  }
}

function lineOf(name: string, { value, labels, suffix = '' }: Sample): string {
  const pairs = Object.entries(labels ?? {}).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
