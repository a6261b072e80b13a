import type { Socket } from 'node:net'
import { hour, minute } from '../../../../shared/time.ts'
import { addressIn, type RewrittenSenders, textOf } from './addresses.ts'

/** Bounces that the rewritten senders of a domain take in an hour. */
export const MAX_BOUNCES_PER_HOUR = 100
const MAX_REQUEST_BYTES = 65_536
const IDLE_TIMEOUT_MS = 5 * minute

const notBounce = '550 5.7.1 This address takes bounces only'
const invalid = '550 5.1.1 This address was altered, or is too old'
const later = '450 4.3.0 Bounces are not taken now; try again later'
const tooMany = '450 4.7.1 Too many bounces for this domain; try again later'

/** Judges mail from outside to rewritten senders: without this they would be an open relay. */
export class Bounces {
  readonly #senders: RewrittenSenders
  readonly #now: () => number
  /** By domain, in the present hour. */
  #counts = new Map<string, number>()
  #hour = 0

  constructor(senders: RewrittenSenders, now: () => number) {
    this.#senders = senders
    this.#now = now
  }

  /** The answer to a recipient, for Postfix. */
  readonly decide = (request: ReadonlyMap<string, string>): string => {
    try {
      return this.#decide(request)
    } catch {
      return later
    }
  }

  #decide(request: ReadonlyMap<string, string>): string {
    const recipient = addressIn(request.get('recipient') ?? '')
    if (!recipient || !this.#senders.reverse(recipient)) return invalid
    if (request.get('sender') !== '') return notBounce
    return this.#count(recipient.domain) > MAX_BOUNCES_PER_HOUR ? tooMany : 'OK'
  }

  /** Where a bounce goes on to; undefined if nowhere. */
  readonly reverse = (recipient: string): string | undefined => {
    const address = addressIn(recipient)
    const found = address && this.#senders.reverse(address)
    return found && textOf(found)
  }

  #count(domain: string): number {
    const present = Math.floor(this.#now() / hour)
    if (present !== this.#hour) this.#counts = new Map()
    this.#hour = present
    const count = (this.#counts.get(domain) ?? 0) + 1
    this.#counts.set(domain, count)
    return count
  }
}

/** Postfix's socketmap protocol: requests and replies are netstrings, a request is a map's name and a key. */
export function serveMap(stream: Socket, find: (key: string) => string | undefined): void {
  let bytes = Buffer.alloc(0)
  stream.setTimeout(IDLE_TIMEOUT_MS, () => stream.destroy())
  stream.on('error', () => stream.destroy())
  stream.on('data', (data: Buffer) => {
    bytes = Buffer.concat([bytes, data])
    for (;;) {
      const [head, length] = /^(\d{1,5}):/.exec(bytes.toString('latin1', 0, 6)) ?? []
      if (head === undefined) {
        if (bytes.length > 5) stream.destroy()
        return
      }
      const end = head.length + Number(length)
      if (Number(length) > MAX_REQUEST_BYTES) return void stream.destroy()
      if (bytes.length <= end) return
      const request = bytes.toString('utf8', head.length, end)
      if (bytes[end] !== 0x2c) return void stream.destroy()
      bytes = bytes.subarray(end + 1)
      stream.write(netstring(answerTo(request, find)))
    }
  })
}

function answerTo(request: string, find: (key: string) => string | undefined): string {
  const at = request.indexOf(' ')
  try {
    const found = at < 0 ? undefined : find(request.slice(at + 1))
    return found === undefined ? 'NOTFOUND ' : `OK ${found}`
  } catch {
    return 'TEMP the keys cannot be read'
  }
}

const netstring = (text: string): string => `${Buffer.byteLength(text)}:${text},`
