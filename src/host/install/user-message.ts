import { HostError } from '../contract/error.ts'

/** System errors, in words for users. */
const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk of the host is full.',
  EDQUOT: 'The disk quota of the host is exceeded.',
  EROFS: 'The disk of the host is mounted read-only.',
  EIO: 'The disk of the host reports errors.',
  EMFILE: 'The server has too many files open.',
  ENFILE: 'The host has too many files open.',
  EACCES: 'The server has no permission to write the files of the host.',
  EPERM: 'The server has no permission to write the files of the host.',
}

/** Wraps any error of a step in one that says what happened. */
export function asHostError(stage: HostError['stage'], error: unknown): HostError {
  if (error instanceof HostError) return error
  const { code } = error as NodeJS.ErrnoException
  return new HostError(stage, sentences[code ?? ''] ?? (error instanceof Error ? error.message : String(error)), code)
}

/** Whether the machine is at fault, not the request: a retry may well succeed. */
export const isMachineError = (error: unknown): boolean => ((error as NodeJS.ErrnoException).code ?? '') in sentences

/** Errors that a home's owner can cause there, and that are not the machine's fault. */
const ownersDoing = new Set(['EDQUOT', 'EACCES', 'EPERM'])

/** The same for the inside of a home. */
export const isMachineErrorAtHome = (error: unknown): boolean =>
  isMachineError(error) && !ownersDoing.has((error as HostError).code!)

/** Runs what only the system can refuse, and translates its errors for users. */
export async function withUserMessage<T>(stage: HostError['stage'], act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : asHostError(stage, error)
  }
}
