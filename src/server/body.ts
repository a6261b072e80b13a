import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Declaration } from '../contract/operation.ts'
import { invalid, overloaded, Problem } from '../contract/problem.ts'
import type { PayForBody } from '../runtime/operations/run.ts'
import { ownTurn } from '../runtime/operations/slices.ts'
import { lastsLong } from './connections.ts'
import type { C } from './environment.ts'
import { type JsonLimits, parseJson, refuseBeyond } from './json.ts'

/** Limits on a body's size and content. */
export interface BodyLimits extends JsonLimits {
  readonly bytes: number
}

const KiB = 1024

/** For callers without credentials, who must not make the server work for nothing. */
export const small: BodyLimits = { bytes: 16 * KiB, names: 200, values: 1_000 }
/** For a form whose session ended while it was being filled in. */
export const LARGE_BODY: BodyLimits = { ...small, bytes: 64 * KiB, names: 2_000 }
export const large: BodyLimits = { bytes: 1024 * KiB, names: 10_000, values: 50_000 }
/** For a zone file, as JSON. */
export const huge: BodyLimits = { ...large, bytes: 10 * KiB * KiB }

/** The body limits of an operation. */
export function roomOf({ allow, room }: Pick<Declaration, 'allow' | 'room'>): BodyLimits {
  if (allow === 'anyone') return small
  return room === 'zone' ? huge : large
}

/** Reads a JSON body, undefined if empty; throws 413, 415 or 400. */
export async function readBody(c: C, room: BodyLimits, pay: PayForBody): Promise<unknown> {
  const bytes = await readBytes(c, room.bytes)
  if (bytes.length === 0) return undefined
  if (!isJson(c.req.header('content-type'))) {
    throw new Problem('unsupported-media-type', 'Send the body as JSON, with Content-Type: application/json.')
  }
  refuseEncoded(c)
  pay({ bytes: bytes.length })
  if (bytes.length > small.bytes) await ownTurn()
  return parse(bytes, room, pay)
}

/** A raw body as a stream. 413 or 415 if it is too large or not binary. */
export function rawBody(c: C, max = Number.POSITIVE_INFINITY): AsyncIterable<Buffer> {
  if (!/^application\/octet-stream\s*(;|$)/i.test(c.req.header('content-type')?.trim() ?? ''))
    throw new Problem('unsupported-media-type', 'Send the bytes with Content-Type: application/octet-stream.')
  refuseEncoded(c)
  if (Number(c.req.header('content-length') ?? 0) > max) throw tooLarge(max)
  return streamed(c)
}

/** Compressed bodies are not supported and would be misread. */
function refuseEncoded(c: C): void {
  const coding = c.req.header('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return
  throw new Problem('unsupported-media-type', 'Send the body as it is, without Content-Encoding.', undefined, {
    'Accept-Encoding': 'identity',
  })
}

/** The body as a stream, whatever its type. */
export function streamed(c: C): AsyncIterable<Buffer> {
  const { incoming } = c.env
  if (incoming) lastsLong(incoming)
  if (incoming) return buffered(incoming)
  return c.req.raw.body ?? Readable.from([])
}

async function* buffered(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* incoming.iterator({ destroyOnReturn: false })
  } catch (error) {
    throw incoming.errored ? invalid('body', 'was not sent completely') : error
  }
}

/** Reads a screen's form: its fields, in order. Throws 413, 415 or 400. */
export async function readForm(
  c: C,
  room: BodyLimits,
  check: (head: URLSearchParams) => void = () => {},
): Promise<URLSearchParams> {
  const bytes = await readBytes(c, room.bytes, (head) => check(new URLSearchParams(head.toString('utf8'))))
  const type = c.req.header('content-type') ?? ''
  if (bytes.length > 0 && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
    throw new Problem('unsupported-media-type', 'This page accepts only its own forms.')
  if (bytes.length > small.bytes) await ownTurn()
  const text = bytes.toString('utf8')
  const names = text.split('&', room.names + 1).length
  // Too much to keep is reported as too long: that response says how to get the form back.
  if (room === LARGE_BODY && names > room.names)
    throw new Problem('too-large', `The form must not contain more than ${room.names} fields.`)
  refuseBeyond({ names, values: 0 }, room)
  return new URLSearchParams(text)
}

/** Reads a small body as text, whatever its type. 413 if larger. */
export const readText = async (c: C): Promise<string> => (await readBytes(c, small.bytes)).toString('utf8')

/** `judge` sees the beginning of a large body, and may refuse the rest. */
async function readBytes(c: C, max: number, check: (head: Buffer) => void = () => {}): Promise<Buffer> {
  if (Number(c.req.header('content-length') ?? 0) > max) throw tooLarge(max)
  const { incoming } = c.env
  if (incoming) return collect(incoming, max, check)
  const bytes = Buffer.from(await c.req.raw.arrayBuffer())
  if (bytes.length > max) throw tooLarge(max)
  if (bytes.length > LARGE_BODY.bytes) check(bytes.subarray(0, LARGE_BODY.bytes))
  return bytes
}

/** Bytes of large bodies being read now, across all requests. */
let existing = 0
const MAX_BUFFERED_BYTES = 64 * KiB * KiB

async function collect(incoming: IncomingMessage, max: number, check: (head: Buffer) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  let counted = 0
  let isChecked = false
  try {
    // Leaving early must not destroy the connection: the response is still to be sent.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > max) throw tooLarge(max)
      chunks.push(chunk)
      if (size > LARGE_BODY.bytes && !isChecked) check(Buffer.concat(chunks))
      isChecked ||= size > LARGE_BODY.bytes
      // Small bodies are always accepted: a client that slowly sends many large ones must not block others.
      if (size <= small.bytes) continue
      existing += size - counted
      counted = size
      if (existing > MAX_BUFFERED_BYTES)
        throw overloaded('Too many large requests are being read; try again in a moment.')
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (incoming.errored) throw invalid('body', 'was not sent completely')
    throw error
  } finally {
    existing -= counted
  }
}

const tooLarge = (max: number): Problem => new Problem('too-large', `The body must not exceed ${max} bytes.`)

const isJson = (type: string | undefined): boolean =>
  type !== undefined && /^application\/json\s*(;|$)/i.test(type.trim())

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Buffer, max: JsonLimits, pay: PayForBody): unknown {
  try {
    return onlyObject(parseJson(utf8.decode(bytes), max, (values) => pay({ values })))
  } catch (error) {
    if (error instanceof Problem) throw error
    throw invalid('body', 'is not valid JSON in UTF-8')
  }
}

function onlyObject(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid('body', 'must be a JSON object')
}
