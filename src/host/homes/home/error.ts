import { FileError, quotaUsedUp } from '../../contract/error.ts'
import { textOf } from '../archive/warnings.ts'

type ErrorAnswer = readonly [FileError['reason'], string]

const answers: Readonly<Record<string, ErrorAnswer>> = {
  ENOENT: ['not-found', 'There is nothing at this path.'],
  ENOTDIR: ['not-found', 'A part of the path is not a directory.'],
  ELOOP: ['validation', 'leads through a link'],
  EEXIST: ['exists', 'There is already something at this path.'],
  ENOTEMPTY: ['exists', 'There is already a directory with files at this path.'],
  EISDIR: ['exists', 'There is already a directory at this path.'],
  EACCES: ['forbidden', 'The permissions of the file or its directory do not allow it.'],
  EPERM: ['forbidden', 'The system does not allow it for this file.'],
  EROFS: ['forbidden', 'The file system is mounted read-only.'],
  EXDEV: ['validation', 'is on another file system'],
  ENAMETOOLONG: ['validation', 'is too long'],
  EINVAL: ['validation', 'cannot be used this way'],
  ENXIO: ['validation', 'is not a regular file'],
  EBUSY: ['in-use', 'The system is using this directory.'],
  ENOSPC: ['storage-full', 'The disk of the host is full.'],
  EDQUOT: ['limit-reached', 'The disk quota is used up.'],
}

/** Converts a system error to a fault of the request, which names the path if it is known. */
export function asFileError(error: unknown, field = 'path', parts?: readonly Buffer[]): unknown {
  const system = (error as NodeJS.ErrnoException)?.code ?? ''
  const answer = answers[system]
  if (!answer || error instanceof FileError) return error
  if (parts && system === 'ENOENT') return new FileError('not-found', `There is nothing at ${textOf(parts)}.`)
  const [code, message] = answer
  if (code === 'limit-reached') return quotaUsedUp()
  return code === 'validation' ? new FileError(code, `${field}: ${message}`, field) : new FileError(code, message)
}

/** Runs an operation on a path, and converts system errors to faults. */
export async function withFileErrors<T>(act: () => Promise<T>, field = 'path', parts?: readonly Buffer[]): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw asFileError(error, field, parts)
  }
}
