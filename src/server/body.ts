import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { invalid, overloaded, Problem } from '../contract/problem.ts'
import type { Environment } from './environment.ts'
import { parseJson } from './json.ts'

const largest = 1024 * 1024
const largestForm = 16 * 1024

/** Reads a JSON body of at most 1 MiB; nothing when it is empty. 413, 415 or 400 for the rest. */
export async function readBody(c: Context<{ Bindings: Environment }>): Promise<unknown> {
  const bytes = await readBytes(c, largest)
  if (bytes.length === 0) return undefined
  if (!isJson(c.req.header('content-type'))) {
    throw new Problem('unsupported-media-type', 'Send the body as JSON, with Content-Type: application/json.')
  }
  return parse(bytes)
}

/** Reads what a form of a screen sends: its fields by name. 413 or 415 for the rest. */
export async function readForm(c: Context<{ Bindings: Environment }>): Promise<Record<string, string>> {
  const bytes = await readBytes(c, largestForm)
  const type = c.req.header('content-type') ?? ''
  if (bytes.length > 0 && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
    throw new Problem('unsupported-media-type', 'This page takes its own forms only.')
  return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
}

async function readBytes(c: Context<{ Bindings: Environment }>, most: number): Promise<Buffer> {
  if (Number(c.req.header('content-length') ?? 0) > most) throw tooLarge(most)
  const bytes = c.env.incoming ? await collect(c.env.incoming, most) : Buffer.from(await c.req.raw.arrayBuffer())
  if (bytes.length > most) throw tooLarge(most)
  return bytes
}

/** Bytes of large bodies that are being read now, of all requests together. */
let held = 0
const mostHeld = 64 * 1024 * 1024
/** A body up to here always has room: whoever sends many large ones slowly must not keep everybody else out. */
const small = 16 * 1024

async function collect(incoming: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  let counted = 0
  try {
    // Left early, it must not take the connection along: the answer is still to come.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > most) throw tooLarge(most)
      chunks.push(chunk)
      if (size <= small) continue
      held += size - counted
      counted = size
      if (held > mostHeld) throw overloaded('Too many large requests are being read; try again in a moment.')
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (incoming.errored) throw invalid('body', 'was not sent to its end')
    throw error
  } finally {
    held -= counted
  }
}

const tooLarge = (most: number): Problem => new Problem('too-large', `A body may have ${most} bytes at most.`)

const isJson = (type: string | undefined): boolean =>
  type !== undefined && /^application\/json\s*(;|$)/i.test(type.trim())

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Buffer): unknown {
  try {
    return onlyObject(parseJson(utf8.decode(bytes)))
  } catch (error) {
    if (error instanceof Problem) throw error
    throw invalid('body', 'is not valid JSON in UTF-8')
  }
}

function onlyObject(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid('body', 'must be a JSON object')
}
