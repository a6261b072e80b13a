import { randomFillSync } from 'node:crypto'
import { Problem } from '../contract/problem.ts'
import type { SessionView } from './kit/screen.ts'
import type { C } from './served.ts'

const masked = new WeakMap<SessionView, string>()

/** The token of a session, masked anew for each answer: compressed pages that echo input would let it be guessed. */
export function csrfFor(session: SessionView): string {
  const own = masked.get(session) ?? maskToken(session.csrf_token ?? '')
  masked.set(session, own)
  return own
}

function maskToken(token: string): string {
  const secret = Buffer.from(token)
  const pad = randomOf(secret.length)
  return `${pad.toString('base64url')}.${xor(secret, pad).toString('base64url')}`
}

/** Asking for much at a time takes a fraction of asking for each. */
const pool = Buffer.alloc(8 * 1024)
let used = pool.length

function randomOf(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += length
  return pool.subarray(used - length, used)
}

/** What was masked; a token that was not is itself. */
export function unmaskToken(masked: string): string {
  const [pad, text] = masked.split('.')
  if (pad === undefined || text === undefined) return masked
  return xor(Buffer.from(text, 'base64url'), Buffer.from(pad, 'base64url')).toString()
}

function xor(one: Buffer, other: Buffer): Buffer {
  const mixed = Buffer.alloc(one.length)
  for (let place = 0; place < one.length; place++) mixed[place] = one[place]! ^ (other[place] ?? 0)
  return mixed
}

/** A form is taken from the panel's own pages alone. 403 `csrf` for the rest. */
export function refuseForeign(c: C): void {
  const origin = c.req.header('origin')
  const own = origin === undefined ? comesFromHere(c) : ownOrigins(c).includes(origin)
  if (!own) throw new Problem('csrf', 'This form came from a page of another site.')
}

/** The same for who has not signed in yet: a program names no origin, and no site can lead it here. */
export function refuseLedAstray(c: C): void {
  if (['origin', 'sec-fetch-site'].some((name) => c.req.header(name) !== undefined)) refuseForeign(c)
}

/** Without TLS a proxy may stand before the panel, and have it or not. */
function ownOrigins(c: C): readonly string[] {
  const { protocol, host: called } = new URL(c.req.url)
  const host = c.req.header('host') ?? called
  return protocol === 'https:' ? [`https://${host}`] : [`https://${host}`, `http://${host}`]
}

/** Whether a visit comes from a page of the panel itself. */
export const comesFromHere = (c: C): boolean => c.req.header('sec-fetch-site') === 'same-origin'
