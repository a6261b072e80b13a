import { lstatSync, utimesSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'

const second = 1000
/** Its clock may be a little behind. */
const slack = 20

/** Dovecot looks at a file of log-ins once in each second of the clock, and goes by what it knows until then. */
export const nextSecond = (): Promise<void> => after(second - (Date.now() % second) + slack)

/** It tells a new version by the size and by the second that the file is from: each version has one of its own. */
export function dateApart(fresh: string, former: string): void {
  const found = lstatSync(former, { throwIfNoEntry: false })
  if (!found) return
  const at = Math.max(Math.floor(Date.now() / second), Math.floor(found.mtimeMs / second) + 1)
  utimesSync(fresh, at, at)
}
