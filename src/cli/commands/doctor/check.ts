export type Status = 'ok' | 'warn' | 'bad'

/** A check's result: one sentence, and a command to type if something must be done. */
export interface Check {
  readonly check: string
  readonly status: Status
  readonly message: string
  readonly next?: string
}

export const ok = (check: string, message: string): Check => ({ check, status: 'ok', message })
export const warn = (check: string, message: string, next: string): Check => ({ check, status: 'warn', message, next })
export const bad = (check: string, message: string, next: string): Check => ({ check, status: 'bad', message, next })

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** `1.5 GB`. */
export function size(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const amount = bytes / 1000 ** power
  return `${amount < 10 && power > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[power]}`
}
