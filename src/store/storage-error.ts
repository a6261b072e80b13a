const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** The disk is full. SQLite reports an I/O error if the shared memory file cannot grow. */
export const isFull = (error: unknown): boolean => /^SQLITE_(FULL|IOERR_SHMSIZE)$/.test(codeOf(error))

/** The disk or the file failed; the change itself was valid. */
export const isStorageError = (error: unknown): boolean =>
  /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL)/.test(codeOf(error))

/** SQLite rolled back the transaction that a group of changes shared. */
export class LostTransaction extends Error {
  readonly code: string
  constructor(cause: unknown) {
    super('The transaction was rolled back: the disk is full or failed.', { cause })
    this.code = codeOf(cause) || 'SQLITE_FULL'
  }
}

const sentences: readonly (readonly [RegExp, (file: string) => string])[] = [
  [
    /^(SQLITE_(FULL|IOERR_SHMSIZE)|ENOSPC|EDQUOT)$/,
    (file) => `There is no space left on the disk of ${file}. Free some space and start again.`,
  ],
  [
    /^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS)/,
    (file) => `${file} cannot be written to: check who owns it, and whether its disk is mounted read-only.`,
  ],
  [/^SQLITE_IOERR/, (file) => `The disk of ${file} reports errors.`],
]

/** Explains an unusable file to the admin who starts the server. */
export function toUserMessage(error: unknown, file: string): unknown {
  const words = sentences.find(([pattern]) => pattern.test(codeOf(error)))?.[1]
  return words ? new Error(`${words(file)} (${(error as Error).message})`, { cause: error }) : error
}
