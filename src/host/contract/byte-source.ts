import type { Readable } from 'node:stream'
import type { ByteVerbs } from './commands/files.ts'

/** Bytes to be read once, and their description. */
export interface Source<Answer extends { readonly length: number } = ByteVerbs['read']['answer']> {
  readonly answer: Answer
  stream(): Readable
  close(): Promise<void>
}
