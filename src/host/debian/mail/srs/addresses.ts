import { createHmac, timingSafeEqual } from 'node:crypto'
import { MAX_DOMAIN_LENGTH } from '../../../../shared/patterns.ts'
import { day } from '../../../../shared/time.ts'
import { patterns } from '../../../contract/fields.ts'

/** Days for which an address takes bounces. */
export const MAX_AGE_DAYS = 21
/** Stamps repeat after as many days. */
const STAMPS = 1024
const HASH_LENGTH = 8

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const rewrittenOnce = /^SRS0=([A-Z2-7]{8})=([A-Z2-7]{2})=([^=]+)=(.+)$/is
const rewrittenAgain = /^SRS1=([A-Z2-7]{8})=([^=]+)=([-+=].+)$/is
const others0 = /^SRS0([-+=].+)$/is
const others1 = /^SRS1[-+=][^=]*=([^=]+)=([-+=].+)$/is

const plain = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const printable = /^[\x20-\x7e]+$/

export interface Address {
  readonly local: string
  readonly domain: string
}

/** An address of SMTP, its local part without quotes; undefined if it is none, or has other characters than ASCII's. */
export function addressIn(text: string): Address | undefined {
  const at = text.lastIndexOf('@')
  if (at < 1 || !printable.test(text)) return undefined
  const [written, domain] = [text.slice(0, at), text.slice(at + 1).toLowerCase()]
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(written) ?? []
  return { local: quoted === undefined ? written : quoted.replaceAll(/\\(.)/g, '$1'), domain }
}

/** Quotes a local part that needs it. */
export function textOf({ local, domain }: Address): string {
  const written = plain.test(local) ? local : `"${local.replaceAll(/["\\]/g, '\\$&')}"`
  return `${written}@${domain}`
}

const isHost = (text: string): boolean => text.length <= MAX_DOMAIN_LENGTH && patterns.domain.test(text)

/** The keys of rewritten senders, the present one first. */
export type Keys = () => readonly Buffer[]

/**
 * The Sender Rewriting Scheme: forwarded mail has a sender of the domain that forwards it, so that it passes SPF, from
 * which the true sender of a bounce can be read.
 */
export class RewrittenSenders {
  readonly #keys: Keys
  readonly #now: () => number

  constructor(keys: Keys, now: () => number) {
    this.#keys = keys
    this.#now = now
  }

  /** The sender of what `by` forwards. */
  forward(sender: Address, by: string): Address {
    return { local: this.#forwarded(sender, by), domain: by }
  }

  #forwarded({ local, domain }: Address, by: string): string {
    const [, rest] = others0.exec(local) ?? []
    if (rest !== undefined) return this.#again(domain, rest, by)
    const [, host, last] = others1.exec(local) ?? []
    if (host !== undefined) return this.#again(host, last!, by)
    const stamp = stampOf(this.#today)
    return `SRS0=${this.#hash([stamp, domain, local, by])}=${stamp}=${domain}=${local}`
  }

  /** A bounce goes back to the first host that has rewritten the sender, whatever others are in between. */
  #again = (host: string, rest: string, by: string): string =>
    `SRS1=${this.#hash(['1', host, rest, by])}=${host}=${rest}`

  /** The address that a bounce goes on to; undefined unless it was rewritten on this machine, lately and by this domain. */
  reverse({ local, domain: by }: Address): Address | undefined {
    const [, hash, stamp, host, user] = rewrittenOnce.exec(local) ?? []
    if (hash !== undefined && this.#isValid(hash, [stamp!, host!, user!, by]) && this.#isRecent(stamp!))
      return sound({ local: user!, domain: host! })
    const [, hash1, first, rest] = rewrittenAgain.exec(local) ?? []
    if (hash1 === undefined || !this.#isValid(hash1, ['1', first!, rest!, by])) return undefined
    return sound({ local: `SRS0${rest}`, domain: first! })
  }

  get #today(): number {
    return Math.floor(this.#now() / day)
  }

  #isRecent = (stamp: string): boolean => (this.#today - dayOf(stamp) + 2 * STAMPS) % STAMPS <= MAX_AGE_DAYS

  /** Servers on the bounce's route may have changed the case of letters. */
  #isValid(hash: string, parts: readonly string[]): boolean {
    const found = Buffer.from(hash.toUpperCase())
    return this.#keys().some((key) => timingSafeEqual(found, Buffer.from(hashOf(key, parts))))
  }

  #hash = (parts: readonly string[]): string => hashOf(this.#keys()[0]!, parts)
}

function sound(address: Address): Address | undefined {
  const host = address.domain.toLowerCase()
  return isHost(host) && printable.test(address.local) ? { ...address, domain: host } : undefined
}

function hashOf(key: Buffer, parts: readonly string[]): string {
  const text = parts.map((part) => part.toLowerCase()).join('\0')
  const bytes = createHmac('sha256', key).update(text).digest().subarray(0, HASH_LENGTH)
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('')
}

const stampOf = (today: number): string => {
  const number = today % STAMPS
  return `${alphabet[Math.floor(number / alphabet.length)]}${alphabet[number % alphabet.length]}`
}

const dayOf = (stamp: string): number => {
  const [high, low] = [...stamp.toUpperCase()].map((letter) => alphabet.indexOf(letter))
  return high! * alphabet.length + low!
}
