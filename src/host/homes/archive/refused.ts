import { FileError } from '../../contract/error.ts'

/** What an archive must not contain; a retry would not help. */
export const refused = (what: string): FileError =>
  new FileError('validation', `The archive was refused: ${what}.`, 'path')

export const damaged = (): FileError =>
  new FileError('validation', 'The archive is damaged: it cannot be read.', 'path')
