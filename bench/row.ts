/** One line of the table. */
export interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** Milliseconds from a request to its answer: half, and all but one in a hundred, took no longer. */
  readonly p50?: number
  readonly p99?: number
  /** What it is divided by what the baseline of that name makes, or needs, in the same rounds. */
  readonly ratios: Readonly<Record<string, number>>
}
