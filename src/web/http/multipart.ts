import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { invalid, Problem } from '../../contract/problem.ts'

type Parser = InstanceType<typeof Busboy>

const MAX_FIELD_BYTES = 64 * 1024
const limits = { fields: 50, fieldSize: MAX_FIELD_BYTES, files: 1, parts: 51, headerPairs: 20 }

/** The most bytes of a form besides its file: fields with their names, and the boundaries. */
export const MAX_FIELDS_BYTES = 2 * MAX_FIELD_BYTES

/** A form up to its file, which is streamed. */
export interface WithFile {
  readonly form: URLSearchParams
  /** Undefined if no file was chosen. */
  readonly file: AsyncIterable<Buffer> | undefined
  /** Resolves once the fields after the file have been added to the form. */
  readonly complete: Promise<void>
  /** Stops reading it. */
  end(): void
}

/** Returns the fields before the file, and the file; ignores the file name that the browser sends. */
export async function formWithFile(source: AsyncIterable<Uint8Array>, type: string): Promise<WithFile> {
  const parser = parserOf(type)
  const stop = new AbortController()
  const end = (): void => stop.abort()
  const begun = untilFile(parser)
  const finished = once(parser, 'finish', { signal: stop.signal }).then(() => undefined)
  // Whoever reads the file learns of it.
  finished.catch(() => {})
  void pump(source, parser, stop.signal).then(begun.ended, begun.fail)
  try {
    return { ...(await begun.promise), complete: finished, end }
  } catch (error) {
    end()
    throw error
  }
}

function parserOf(type: string): Parser {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits })
  } catch {
    throw invalid('body', 'is not a form')
  }
}

function untilFile(parser: Parser) {
  const form = new URLSearchParams()
  let file: Readable | undefined
  let size = 0
  let fail = (_error: unknown): void => {}
  let ended = (): void => {}
  const promise = new Promise<Pick<WithFile, 'form' | 'file'>>((resolve, reject) => {
    ended = () => resolve({ form, file: undefined })
    fail = (error) => {
      reject(error)
      file?.destroy(error instanceof Error ? error : undefined)
    }
    parser.on('field', (name, value, _isNameCut, isCut) => {
      size += name.length + value.length
      if (isCut || size > MAX_FIELD_BYTES) fail(new Problem('too-large', 'The fields must not exceed 64 KiB.'))
      else form.append(name, value)
    })
    parser.on('file', (_field, stream, name) => {
      file = stream
      // An error on an abandoned stream must not end the server.
      stream.on('error', () => {})
      resolve({ form, file: name ? complete(stream) : undefined })
    })
    parser.on('error', () => fail(invalid('body', 'was not sent completely')))
  })
  return { promise, ended: () => ended(), fail: (error: unknown) => fail(error) }
}

/** Replaces the parser's own error for a truncated body. */
async function* complete(file: Readable): AsyncGenerator<Buffer> {
  try {
    yield* file
  } catch (error) {
    throw error instanceof Problem ? error : invalid('body', 'was not sent completely')
  }
}

async function pump(source: AsyncIterable<Uint8Array>, parser: Parser, signal: AbortSignal): Promise<void> {
  for await (const chunk of source) {
    if (signal.aborted) return
    if (!parser.write(Buffer.from(chunk))) await once(parser, 'drain', { signal })
  }
  parser.end()
}
