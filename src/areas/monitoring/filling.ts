import { day } from '../../shared/time.ts'

/** Growth over less says nothing about days to come. */
const MIN_SPAN_MS = day

export interface Sample {
  readonly at: number
  readonly used: number
}

/** When a file system will be full if it grows as its samples did; undefined if it does not, or if they are too few. */
export function fullAt(samples: readonly Sample[], total: number): number | undefined {
  const last = samples.at(-1)
  if (!last || last.at - samples[0]!.at < MIN_SPAN_MS) return undefined
  const slope = slopeOf(samples)
  return slope > 0 ? last.at + (total - last.used) / slope : undefined
}

/** Of the line that fits them best (least squares), per millisecond. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / samples.length
  const [at, used] = [mean((one) => one.at), mean((one) => one.used)]
  const [above, below] = samples.reduce(
    ([sum, squares], one) => [sum + (one.at - at) * (one.used - used), squares + (one.at - at) ** 2],
    [0, 0],
  )
  return below === 0 ? 0 : above / below
}
