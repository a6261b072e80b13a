import type { Context } from 'hono'
import { invalid, Problem } from '../contract/problem.ts'
import type { Environment } from './environment.ts'

const largest = 1024 * 1024

/** Reads a JSON body of at most 1 MiB; nothing when it is empty. 413, 415 or 400 for the rest. */
export async function readBody(c: Context<{ Bindings: Environment }>): Promise<unknown> {
  const declared = Number(c.req.header('content-length') ?? 0)
  if (declared > largest) throw tooLarge()
  const bytes = c.env.incoming ? await collect(c.env.incoming) : Buffer.from(await c.req.raw.arrayBuffer())
  if (bytes.length > largest) throw tooLarge()
  if (bytes.length === 0) return undefined
  if (!isJson(c.req.header('content-type'))) {
    throw new Problem('unsupported-media-type', 'Send the body as JSON, with Content-Type: application/json.')
  }
  return parse(bytes)
}

async function collect(incoming: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += chunk.length
    if (size > largest) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (): Problem =>
  new Problem('too-large', 'A body may have 1 MiB at most.', undefined, { Connection: 'close' })

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
