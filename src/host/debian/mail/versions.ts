import { lstatSync, utimesSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'

const second = 1000
/** Tolerates Dovecot's clock being slightly behind. */
const slack = 20

/** Dovecot checks a login file once per clock second, and uses its cache until then. */
export const nextSecond = (): Promise<void> => after(second - (Date.now() % second) + slack)

/** It detects a new version by size and mtime in seconds: gives each version its own. */
export function dateApart(fresh: string, former: string): void {
  const found = lstatSync(former, { throwIfNoEntry: false })
  if (!found) return
  const at = Math.max(Math.floor(Date.now() / second), Math.floor(found.mtimeMs / second) + 1)
  utimesSync(fresh, at, at)
}
