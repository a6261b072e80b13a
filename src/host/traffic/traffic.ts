import type { Traffic, TrafficRequest, Transfer } from '../contract/commands/logs.ts'
import type { TrafficLog } from '../contract/logs.ts'
import type { Directory } from '../homes/home/directory.ts'
import { readOn } from './follow.ts'
import { MAX_PARTS_PER_DAY } from './rotate.ts'
import type { LineReader } from './transfers.ts'

/** The names of the server-wide logs. */
export const trafficFiles: { readonly [Log in TrafficLog]: string } = {
  web: 'bandwidth.log',
  ftp: 'ftp.log',
  mail: 'mail.log',
}

/** The traffic in a log, by day and name, from a position on. */
export async function trafficOf(
  logs: Directory,
  { log, first, ...reading }: TrafficRequest,
  { read, now }: { readonly read: LineReader; readonly now: number },
): Promise<Traffic> {
  const sums = new Map<string, Transfer>()
  const { next, more } = await readOn(logs, trafficFiles[log], { ...reading, parts: MAX_PARTS_PER_DAY }, (line) => {
    for (const { at, name, ...bytes } of read(line, now)) {
      const day = dayOf(at)
      if (day !== undefined && day >= first && day <= reading.last) add(sums, { day, name, ...bytes })
    }
  })
  return { next, more, transfers: [...sums.values()] }
}

const dayOf = (at: number): string | undefined =>
  Number.isNaN(at) || at > 8.64e15 ? undefined : new Date(at).toISOString().slice(0, 10)

function add(sums: Map<string, Transfer>, { day, name, received, sent }: Transfer): void {
  const key = `${day} ${name}`
  const known = sums.get(key)
  sums.set(key, {
    day,
    name,
    received: received + (known?.received ?? 0),
    sent: sent + (known?.sent ?? 0),
  })
}
