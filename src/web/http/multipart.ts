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

/** A form with a few small files, which are read into memory. */
export interface WithSmallFiles {
  readonly form: URLSearchParams
  /** By the names of their fields; without those that were not chosen. */
  readonly files: ReadonlyMap<string, Buffer>
}

const MAX_SMALL_FILES = 4

export async function formWithSmallFiles(
  source: AsyncIterable<Uint8Array>,
  type: string,
  maxBytes: number,
): Promise<WithSmallFiles> {
  const parser = parserOf(type, { files: MAX_SMALL_FILES, parts: limits.fields + MAX_SMALL_FILES })
  const stop = new AbortController()
  const { form, files, finished } = untilEnd(parser, maxBytes)
  try {
    await Promise.race([finished, pump(source, parser, stop.signal).then(() => finished)])
    return { form, files }
  } finally {
    stop.abort()
  }
}

function untilEnd(parser: Parser, maxBytes: number) {
  const form = new URLSearchParams()
  const files = new Map<string, Buffer>()
  const reading: Promise<unknown>[] = []
  const finished = new Promise<void>((resolve, reject) => {
    collectFields(parser, form, reject)
    parser.on('file', (field, stream, name) => {
      stream.on('error', reject)
      if (!name) return void stream.resume()
      reading.push(bytesOf(stream, maxBytes).then((bytes) => files.set(field, bytes), reject))
    })
    parser.on('error', () => reject(invalid('body', 'was not sent completely')))
    parser.on('finish', () => void Promise.all(reading).then(() => resolve()))
  })
  // The one who awaits it may have given up already.
  finished.catch(() => {})
  return { form, files, finished }
}

async function bytesOf(stream: Readable, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of complete(stream)) {
    size += piece.length
    if (size > maxBytes) throw new Problem('too-large', `The file must not exceed ${maxBytes} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function parserOf(type: string, more: Partial<typeof limits> = {}): Parser {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: { ...limits, ...more } })
  } catch {
    throw invalid('body', 'is not a form')
  }
}

function untilFile(parser: Parser) {
  const form = new URLSearchParams()
  let file: Readable | undefined
  let fail = (_error: unknown): void => {}
  let ended = (): void => {}
  const promise = new Promise<Pick<WithFile, 'form' | 'file'>>((resolve, reject) => {
    ended = () => resolve({ form, file: undefined })
    fail = (error) => {
      reject(error)
      file?.destroy(error instanceof Error ? error : undefined)
    }
    collectFields(parser, form, fail)
    parser.on('file', (_field, stream, name) => {
      file = stream
      // An error on an abandoned stream must not end the server.
      stream.on('error', () => {})
      // Fields may follow a file that was not chosen.
      if (!name) stream.resume()
      // Fields may follow a file that was not chosen.
      if (!name) stream.resume()
      resolve({ form, file: name ? complete(stream) : undefined })
    })
    parser.on('error', () => fail(invalid('body', 'was not sent completely')))
  })
  return { promise, ended: () => ended(), fail: (error: unknown) => fail(error) }
}

function collectFields(parser: Parser, form: URLSearchParams, fail: (error: unknown) => void): void {
  let size = 0
  parser.on('field', (name, value, _isNameCut, isCut) => {
    size += name.length + value.length
    if (isCut || size > MAX_FIELD_BYTES) fail(new Problem('too-large', 'The fields must not exceed 64 KiB.'))
    else form.append(name, value)
  })
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
