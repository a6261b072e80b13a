import type { Context } from 'hono'
import { invalid, Problem } from '../contract/problem.ts'
import type { Environment } from './environment.ts'

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

async function collect(incoming: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += chunk.length
    if (size > most) throw tooLarge(most)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (most: number): Problem =>
  new Problem('too-large', `A body may have ${most} bytes at most.`, undefined, { Connection: 'close' })

const isJson = (type: string | undefined): boolean =>
  type !== undefined && /^application\/json\s*(;|$)/i.test(type.trim())

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Buffer): unknown {
  try {
    return onlyObject(JSON.parse(utf8.decode(bytes)))
  } catch (error) {
    if (error instanceof Problem) throw error
    throw invalid('body', 'is not valid JSON in UTF-8')
  }
}

function onlyObject(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid('body', 'must be a JSON object')
}
