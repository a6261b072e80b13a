import { FileFault } from '../error.ts'

/** What an archive must not contain; a retry would not help. */
export const refused = (what: string): FileFault =>
  new FileFault('validation', `The archive was refused: ${what}.`, 'path')

export const damaged = (): FileFault =>
  new FileFault('validation', 'The archive is damaged: it cannot be read.', 'path')
