const meanings: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'part of the path is not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'it already exists',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the disk quota is exceeded',
  EIO: 'the disk reports an error',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on this machine',
}

const verbs: Readonly<Record<string, string>> = {
  mkdir: 'create',
  open: 'open',
  read: 'read',
  scandir: 'read',
  write: 'write',
  unlink: 'remove',
  rmdir: 'remove',
  rename: 'replace',
  chmod: 'change the mode of',
}

/** Describes a failed system call; undefined for other errors. */
export function systemSentence(error: unknown): string | undefined {
  const { code = '', syscall = '', path } = error as NodeJS.ErrnoException
  const meaning = meaningOf(code, syscall)
  return meaning && path ? `Cannot ${verbs[syscall] ?? 'use'} ${path}: ${meaning}.` : undefined
}

/** What went wrong, without what it was done to: for messages that name the file themselves. */
export function reasonOf(error: unknown): string {
  const { code = '', syscall = '', message } = error as NodeJS.ErrnoException
  return meaningOf(code, syscall) ?? message
}

/** The kernel reports ENOENT for a directory below /proc and the like, though its parent exists. */
const meaningOf = (code: string, syscall: string): string | undefined =>
  code === 'ENOENT' && syscall === 'mkdir' ? 'this file system does not allow new directories' : meanings[code]

/** The error with a readable message, if it comes from a system call. */
export function readable(error: unknown, advice = ''): unknown {
  const sentence = systemSentence(error)
  if (sentence === undefined) return error
  const { code } = error as NodeJS.ErrnoException
  return Object.assign(new Error(`${sentence}${advice && ` ${advice}`}`, { cause: error }), { code })
}
