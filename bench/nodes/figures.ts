import { loadavg } from 'node:os'

interface Bound {
  readonly max?: number
  readonly least?: number
}

let missed = 0

/** How many figures were not what they ought to be. */
export const missedBounds = (): number => missed

/** Prints one figure beside what it ought to be. */
export function say(what: string, figure: number, unit: string, { max, least }: Bound = {}): void {
  const holds = figure <= (max ?? Number.POSITIVE_INFINITY) && figure >= (least ?? Number.NEGATIVE_INFINITY)
  if (!holds) missed++
  const bound = [max !== undefined && `<= ${max}`, least !== undefined && `>= ${least}`].filter(Boolean).join(' ')
  const value = figure.toLocaleString('en', { maximumFractionDigits: Math.abs(figure) < 10 ? 2 : 0 })
  console.log(
    `${what.padEnd(58)} ${value.padStart(9)} ${unit.padEnd(8)} ${bound.padEnd(9)} ${holds ? '' : 'MISSED'}`.trimEnd(),
  )
}

/** What else the machine does: figures that are not ratios suffer from it. */
export const machineLoad = (): string =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')
