import { FileError } from '../contract/error.ts'

/** Why a dump is not imported, in sentences for its owner; a retry would not help. */
export class DumpError extends FileError {
  constructor(message: string) {
    super('validation', message, 'path')
  }
}
