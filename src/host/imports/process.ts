import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_SOURCE_BYTES, type Unpacking } from '../contract/commands/imports.ts'
import { FileError } from '../contract/error.ts'
import { Directory, holding } from '../homes/home/directory.ts'
import { tooMuch } from './local.ts'
import { readSource } from './read.ts'
import { unpackInto } from './unpack.ts'

/** The answer of a process that reads or unpacks an archive: the result by its name, or `message` and `code`. */
export type ArchiveAnswer = Readonly<Record<string, unknown>>

/** Reads the archive on standard input and answers on standard output, with no right to anything else. */
export async function serveRead(maxEntries: number, maxBytes: number): Promise<void> {
  const answer = await answered('source', readSource(process.stdin as AsyncIterable<Buffer>, { maxEntries, maxBytes }))
  const text = JSON.stringify(answer)
  const fits = Buffer.byteLength(text) <= MAX_SOURCE_BYTES
  process.stdout.end(fits ? text : JSON.stringify({ message: tooMuch().message, code: 'validation' }))
}

/** What root has written beside the directory to unpack to. */
export const REQUEST_FILE = 'request.json'

/** Unpacks the archive on standard input into the one directory that it can write to. */
export async function serveUnpack(folder: string): Promise<void> {
  const request = JSON.parse(readFileSync(join(folder, REQUEST_FILE), 'utf8')) as Unpacking
  const bytes = process.stdin as AsyncIterable<Buffer>
  const done = holding(Directory.at(join(folder, 'partial')), (into) => unpackInto(into, bytes, request))
  process.stdout.end(JSON.stringify(await answered('unpacked', done)))
}

const answered = (name: string, work: Promise<object>): Promise<ArchiveAnswer> =>
  work.then(
    (result) => ({ [name]: result }),
    (error: Error) => ({ message: error.message, ...(error instanceof FileError && { code: error.reason }) }),
  )
