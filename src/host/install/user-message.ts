import { HostError } from '../error.ts'

/** What the system refused, in words for people. */
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

/** Any error of a step as one that says what happened. */
export function asHostError(stage: HostError['stage'], error: unknown): HostError {
  if (error instanceof HostError) return error
  const { code } = error as NodeJS.ErrnoException
  return new HostError(stage, sentences[code ?? ''] ?? (error instanceof Error ? error.message : String(error)), code)
}

/** Whether the machine failed, and not what it was asked for: the same may well succeed later. */
export const isMachineFault = (error: unknown): boolean => ((error as NodeJS.ErrnoException).code ?? '') in sentences

/** Errors that a home's owner can cause in it, and that are not the machine's fault. */
const ownersDoing = new Set(['EDQUOT', 'EACCES', 'EPERM'])

/** The same of the inside of a home. */
export const isMachineFaultAtHome = (error: unknown): boolean =>
  isMachineFault(error) && !ownersDoing.has((error as HostError).code!)

/** Does something that only the system can refuse, and says in words why it did. */
export async function withUserMessage<T>(stage: HostError['stage'], act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : asHostError(stage, error)
  }
}
