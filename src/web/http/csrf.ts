import { randomFillSync } from 'node:crypto'
import { Problem } from '../../contract/problem.ts'
import type { SessionView } from '../kit/screen.ts'
import type { C } from '../panel-request.ts'

const masked = new WeakMap<SessionView, string>()

/** The session's token, masked anew for each response: compressed pages that echo input would leak it. */
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

/** Random bytes in bulk cost a fraction of single requests. */
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

/** Unmasks a token; an unmasked one is returned as it is. */
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

/** Accepts forms only from the panel's own pages; otherwise 403 `csrf`. */
export function refuseForeign(c: C): void {
  const origin = c.req.header('origin')
  const own = origin === undefined ? isSameOrigin(c) : ownOrigins(c).includes(origin)
  if (!own) throw new Problem('csrf', 'This form came from a page of another site.')
}

/** The same before sign-in: programs send no origin, and other sites cannot use them. */
export function refuseCrossSite(c: C): void {
  if (['origin', 'sec-fetch-site'].some((name) => c.req.header(name) !== undefined)) refuseForeign(c)
}

/** Without TLS, a proxy in front may or may not terminate it. */
function ownOrigins(c: C): readonly string[] {
  const { protocol, host: called } = new URL(c.req.url)
  const host = c.req.header('host') ?? called
  return protocol === 'https:' ? [`https://${host}`] : [`https://${host}`, `http://${host}`]
}

/** Whether the request comes from a page of the panel. */
export const isSameOrigin = (c: C): boolean => c.req.header('sec-fetch-site') === 'same-origin'
