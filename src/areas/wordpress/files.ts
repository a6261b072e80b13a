import { FileError, HostError } from '../../host/contract/driver.ts'
import { JobError } from '../../runtime/jobs/job-kind.ts'
import { SourceError } from './install/archives.ts'
import type { WordpressRow } from './tables.ts'

/** Where new files wait and old ones are stored, on the home's file system; no visitor reaches it. */
export const baseOf = ({ id }: Pick<WordpressRow, 'id'>): string => `.panel/wordpress/${id}`

/** A path as the host reads it. */
export const encoded = (path: string): string => Buffer.from(path).toString('base64')

/** A directory to make may exist already. */
export function unlessThere(error: unknown): void {
  if (!(error instanceof FileError) || error.reason !== 'exists') throw error
}

/** What users can act on is said as it is. */
export function asJobError(error: unknown): unknown {
  if (error instanceof SourceError) return new JobError(error.message)
  if (error instanceof HostError && error.stage === 'stage') return new JobError(error.message)
  if (error instanceof FileError) return new JobError(error.message, error.reason !== 'overloaded')
  return error
}
