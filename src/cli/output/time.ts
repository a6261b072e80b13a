const steps: readonly (readonly [number, string])[] = [
  [86_400_000 * 365, 'y'],
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
]

/** `5 min ago`, `in 3 d`, `now`. */
export function relative(moment: number, now: number): string {
  const distance = Math.abs(moment - now)
  const step = steps.find(([size]) => distance >= size)
  if (!step) return 'now'
  const amount = `${Math.floor(distance / step[0])} ${step[1]}`
  return moment > now ? `in ${amount}` : `${amount} ago`
}

/** The time in ISO 8601; other values unchanged. */
export function iso(moment: number): string {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? String(moment) : date.toISOString()
}

/** `2031-12-31 (in 5 y)`. */
export const day = (moment: number, now: number): string => `${iso(moment).slice(0, 10)} (${relative(moment, now)})`

/** `13:54:02`, in local time. */
export function clockTime(moment: number): string {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? '-' : date.toTimeString().slice(0, 8)
}
