import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Counting } from '../../src/areas/logs/counting.ts'
import type { TestPanel } from '../harness.ts'

export const quarter = 15 * 60_000

/** Runs the counting of logs by the clock. */
export async function counted(panel: TestPanel, ms = quarter): Promise<void> {
  await panel.clock.advance(ms)
  await (panel.panel.engines.get('logs') as Counting).idle()
}

export const logs = (panel: TestPanel, name: string): string => join(panel.dir, 'host/var/log/panel', name)

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export interface Visit {
  readonly at: number
  readonly address?: string
  readonly user?: string
  readonly request?: string
  readonly status?: number
  readonly bytes?: number
  readonly referrer?: string
  readonly agent?: string
}

export const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

/** A line as nginx writes it. */
export function visit(one: Visit): string {
  const { address = '192.0.2.1', user = '-', request = 'GET / HTTP/1.1', status = 200, bytes = 100 } = one
  const date = new Date(one.at)
  const two = (n: number): string => String(n).padStart(2, '0')
  const day = `${two(date.getUTCDate())}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}`
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':')
  const { referrer = '-', agent = firefox } = one
  return `${address} - ${user} [${day}:${clock} +0000] "${request}" ${status} ${bytes} "${referrer}" "${agent}"\n`
}

export const append = (panel: TestPanel, name: string, text: string | Buffer): void =>
  appendFileSync(logs(panel, name), text)
