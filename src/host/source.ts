import type { Readable } from 'node:stream'
import type { ByteVerbs } from './files.ts'

/** Bytes that are ready to be read, once, and what they are of. */
export interface Source<Answer extends { readonly length: number } = ByteVerbs['read']['answer']> {
  readonly answer: Answer
  stream(): Readable
  close(): Promise<void>
}
