/** The middle one. */
export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** The value that this share of all does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Three digits that count. */
export const rounded = (value: number): number => Number(value.toPrecision(3))
