import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'hono'
import type { Declaration } from '../contract/operation.ts'
import { invalid, overloaded, Problem } from '../contract/problem.ts'
import { lastsLong } from './connections.ts'
import type { Environment } from './environment.ts'
import { type Most, parseJson, refuseBeyond } from './json.ts'

type C = Context<{ Bindings: Environment }>

/** How large a body may be, and how much it may hold. */
export interface Room extends Most {
  readonly bytes: number
}

const KiB = 1024

/** For callers without credentials, who would otherwise have the server work for nothing. */
export const small: Room = { bytes: 16 * KiB, names: 200, values: 1_000 }
/** For a form that was filled in while its session ended. */
export const kept: Room = { ...small, bytes: 64 * KiB, names: 2_000 }
export const large: Room = { bytes: 1024 * KiB, names: 10_000, values: 50_000 }
/** For a zone file, as JSON. */
export const huge: Room = { ...large, bytes: 10 * KiB * KiB }

/** How much of a body an operation reads. */
export function roomOf({ allow, room }: Pick<Declaration, 'allow' | 'room'>): Room {
  if (allow === 'anyone') return small
  return room === 'zone' ? huge : large
}

/** Reads a JSON body; nothing when it is empty. 413, 415 or 400 for the rest. `pay` is told its size before it is parsed. */
export async function readBody(c: C, room: Room, pay: (bytes: number) => void): Promise<unknown> {
  const bytes = await readBytes(c, room.bytes)
  if (bytes.length === 0) return undefined
  if (!isJson(c.req.header('content-type'))) {
    throw new Problem('unsupported-media-type', 'Send the body as JSON, with Content-Type: application/json.')
  }
  refuseEncoded(c)
  pay(bytes.length)
  return parse(bytes, room)
}

/** A raw body, as it comes. 413 or 415 where it is none, or larger than the operation takes. */
export function rawBody(c: C, most = Number.POSITIVE_INFINITY): AsyncIterable<Buffer> {
  if (!/^application\/octet-stream\s*(;|$)/i.test(c.req.header('content-type')?.trim() ?? ''))
    throw new Problem('unsupported-media-type', 'Send the bytes with Content-Type: application/octet-stream.')
  refuseEncoded(c)
  if (Number(c.req.header('content-length') ?? 0) > most) throw tooLarge(most)
  return streamed(c)
}

/** A compressed body would be taken for what it is not. */
function refuseEncoded(c: C): void {
  const coding = c.req.header('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return
  throw new Problem('unsupported-media-type', 'Send the body as it is, without Content-Encoding.', undefined, {
    'Accept-Encoding': 'identity',
  })
}

/** A body as it comes, whatever it is said to be. */
export function streamed(c: C): AsyncIterable<Buffer> {
  const { incoming } = c.env
  if (incoming) lastsLong(incoming)
  if (incoming) return whole(incoming)
  return c.req.raw.body ?? Readable.from([])
}

async function* whole(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* incoming.iterator({ destroyOnReturn: false })
  } catch (error) {
    throw incoming.errored ? invalid('body', 'was not sent completely') : error
  }
}

/** Reads what a form of a screen sends: its fields, in their order. 413, 415 or 400 for the rest. */
export async function readForm(
  c: C,
  room: Room,
  judge: (head: URLSearchParams) => void = () => {},
): Promise<URLSearchParams> {
  const bytes = await readBytes(c, room.bytes, (head) => judge(new URLSearchParams(head.toString('utf8'))))
  const type = c.req.header('content-type') ?? ''
  if (bytes.length > 0 && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
    throw new Problem('unsupported-media-type', 'This page accepts only its own forms.')
  const text = bytes.toString('utf8')
  const names = text.split('&', room.names + 1).length
  // What cannot be kept is told as too long: the answer says how to have it again.
  if (room === kept && names > room.names)
    throw new Problem('too-large', `The form must not contain more than ${room.names} fields.`)
  refuseBeyond({ names, values: 0 }, room)
  return new URLSearchParams(text)
}

/** Reads a small body as text, whatever it is said to be. 413 above. */
export const readText = async (c: C): Promise<string> => (await readBytes(c, small.bytes)).toString('utf8')

/** `judge` is shown how a large one begins, and may refuse the rest. */
async function readBytes(c: C, most: number, judge: (head: Buffer) => void = () => {}): Promise<Buffer> {
  if (Number(c.req.header('content-length') ?? 0) > most) throw tooLarge(most)
  const { incoming } = c.env
  if (incoming) return collect(incoming, most, judge)
  const bytes = Buffer.from(await c.req.raw.arrayBuffer())
  if (bytes.length > most) throw tooLarge(most)
  if (bytes.length > kept.bytes) judge(bytes.subarray(0, kept.bytes))
  return bytes
}

/** Bytes of large bodies that are being read now, of all requests together. */
let held = 0
const maxHeld = 64 * KiB * KiB

async function collect(incoming: IncomingMessage, most: number, judge: (head: Buffer) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  let counted = 0
  let judged = false
  try {
    // Left early, it must not take the connection along: the answer is still to come.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > most) throw tooLarge(most)
      chunks.push(chunk)
      if (size > kept.bytes && !judged) judge(Buffer.concat(chunks))
      judged ||= size > kept.bytes
      // A small one always has room: a client that sends many large ones slowly must not keep others out.
      if (size <= small.bytes) continue
      held += size - counted
      counted = size
      if (held > maxHeld) throw overloaded('Too many large requests are being read; try again in a moment.')
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (incoming.errored) throw invalid('body', 'was not sent completely')
    throw error
  } finally {
    held -= counted
  }
}

const tooLarge = (most: number): Problem => new Problem('too-large', `The body must not exceed ${most} bytes.`)

const isJson = (type: string | undefined): boolean =>
  type !== undefined && /^application\/json\s*(;|$)/i.test(type.trim())

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Buffer, most: Most): unknown {
  try {
    return onlyObject(parseJson(utf8.decode(bytes), most))
  } catch (error) {
    if (error instanceof Problem) throw error
    throw invalid('body', 'is not valid JSON in UTF-8')
  }
}

function onlyObject(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid('body', 'must be a JSON object')
}
