import type { TrafficLog } from '../contract/logs.ts'

/** Bytes transferred at a time. */
export interface Moved {
  readonly at: number
  readonly name: string
  readonly received: number
  readonly sent: number
}

/** Returns the transfers in a line. */
export type LineReader = (line: string, now: number) => readonly Moved[]

const username = /^[a-z][a-z0-9]{1,15}$/
const size = '(\\d{1,15})'
const webLine = new RegExp(`^(\\d{1,11})\\.\\d{3}\\t([a-z0-9]+)\\t[^\\t]*\\t\\d{3}\\t${size}\\t${size}$`)

/** nginx's log for the panel: see `panel_bw`. */
const web: LineReader = (line) => {
  const [, seconds, name, received, sent] = webLine.exec(line) ?? []
  if (name === undefined || !username.test(name)) return []
  return [{ at: Number(seconds) * 1000, name, received: Number(received), sent: Number(sent) }]
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const clock = '(\\d{2}):(\\d{2}):(\\d{2})'
const ftpLine = new RegExp(
  `^[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\\d{1,2}) ${clock} (\\d{4}) \\d+ \\S+ ${size} .* [ab] \\S ([io]) [agr] (\\S{1,254}) \\S+ [01] \\S+ [ci]$`,
)

/** The transfer log of FTP servers, in local time: the fields around a file's name are fixed, the name is not. */
const ftp: LineReader = (line) => {
  const [, month, day, hours, minutes, seconds, year, bytes, direction, name] = ftpLine.exec(line) ?? []
  if (name === undefined) return []
  const at = localTime(Number(year), month!, [day, hours, minutes, seconds])
  const moved = Number(bytes)
  return [{ at, name, received: direction === 'i' ? moved : 0, sent: direction === 'o' ? moved : 0 }]
}

function localTime(year: number, month: string, rest: readonly (string | undefined)[]): number {
  const [day, hours, minutes, seconds] = rest.map(Number)
  return new Date(year, months.indexOf(month), day, hours, minutes, seconds).getTime()
}

/** The time of a line of Postfix's log, in six groups that `mailTimeOf` reads. */
export const mailTime = `(?:(\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\S*)|([A-Z][a-z]{2}) +(\\d{1,2}) ${clock})`
const queued = new RegExp(
  `^${mailTime} \\S+ postfix/(?:[a-z]+/)?[a-z]+\\[\\d+\\]: ([0-9A-Za-z]{5,20}): (from|to)=<([^>]*)>, (.*)$`,
)
/** Messages of known size. Slower ones are logged again before the next delivery attempt. */
const MAX_QUEUED_TRANSFERS = 10_000

/** Postfix's log: a message's size when it is queued, and each recipient when it is delivered. */
export function mailReader(): LineReader {
  const messages = new Map<string, { readonly from: string; readonly bytes: number }>()
  return (line, now) => {
    const [, iso, month, day, hours, minutes, seconds, id, which, address, rest] = queued.exec(line) ?? []
    if (id === undefined) return []
    if (which === 'from') {
      const bytes = /^size=(\d{1,12}), nrcpt=/.exec(rest!)?.[1]
      if (bytes !== undefined) remember(messages, id, { from: domainOf(address!), bytes: Number(bytes) })
      return []
    }
    const message = messages.get(id)
    if (!message || !/(?:^|, )status=sent /.test(rest!)) return []
    const at = mailTimeOf([iso, month, day, hours, minutes, seconds], now)
    return [
      { at, name: message.from, received: 0, sent: message.bytes },
      { at, name: domainOf(address!), received: message.bytes, sent: 0 },
    ].filter(({ name }) => name !== '')
  }
}

function remember<V>(messages: Map<string, V>, id: string, message: V): void {
  messages.delete(id)
  messages.set(id, message)
  if (messages.size > MAX_QUEUED_TRANSFERS) messages.delete(messages.keys().next().value!)
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

export const mailTimeOf = ([iso, month, ...rest]: readonly (string | undefined)[], now: number): number =>
  iso === undefined ? lately(month!, rest, now) : Date.parse(iso)

/** The log has no year: takes the latest such time. */
function lately(month: string, rest: readonly (string | undefined)[], now: number): number {
  const year = new Date(now).getFullYear()
  const at = localTime(year, month, rest)
  return at > now + 24 * 3_600_000 ? localTime(year - 1, month, rest) : at
}

export const lineReaders = (): { readonly [Log in TrafficLog]: LineReader } => ({ web, ftp, mail: mailReader() })
