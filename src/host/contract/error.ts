/** A failed step on the host, with one sentence for users. */
export class HostError extends Error {
  readonly stage: 'unsupported' | 'stage' | 'precheck' | 'install' | 'validate' | 'remove'
  /** The system's error code, if the system refused. */
  readonly code: string | undefined
  constructor(stage: HostError['stage'], message: string, code?: string) {
    super(message)
    this.name = 'HostError'
    this.stage = stage
    this.code = code
  }
}

/** What can be wrong with a file request: the codes of the API's problems. */
export const fileErrors = [
  'validation',
  'forbidden',
  'not-found',
  'changed',
  'exists',
  'in-use',
  'incomplete',
  'limit-reached',
  'not-configured',
  'too-many',
  'too-large',
  'range-not-satisfiable',
  'overloaded',
  'storage-full',
] as const
export type FileErrorCode = (typeof fileErrors)[number]

/** A fault as it is passed between processes. */
export interface FileErrorDetail {
  readonly code: FileErrorCode
  readonly field?: string | undefined
  readonly size?: number | undefined
}

/** A file request that cannot be met as it is. */
export class FileError extends HostError {
  readonly reason: FileErrorCode
  /** The field at fault. */
  readonly field: string | undefined
  /** The actual size in bytes, if more was asked for. */
  readonly size: number | undefined
  constructor(reason: FileErrorCode, message: string, field?: string, size?: number) {
    super('stage', message)
    this.reason = reason
    this.field = field
    this.size = size
  }

  get detail(): FileErrorDetail {
    return { code: this.reason, field: this.field, size: this.size }
  }

  static from(message: string, { code, field, size }: FileErrorDetail): FileError {
    return new FileError(code, message, field, size)
  }
}

export const quotaUsedUp = (inTrash = ''): FileError =>
  new FileError('limit-reached', `The disk quota is used up.${inTrash}`, 'disk_quota_mb')

export const inodesUsedUp = (inTrash = ''): FileError =>
  new FileError('limit-reached', `The limit on files and directories is reached.${inTrash}`, 'inodes_limit')

/** A hint for an account that is out of room while its trash is not empty. */
export const trashCounts = (items: number): string =>
  items === 0 ? '' : ` The trash counts, too, with ${items === 1 ? '1 item' : `${items} items`}: empty it to make room.`
