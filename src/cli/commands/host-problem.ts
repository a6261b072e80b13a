import { exit } from '../../shared/exit.ts'
import { CliError, denied } from '../errors.ts'

/** Converts a problem of this machine to a command line error. */
export const problemOf = ({ message, hint }: { message: string; hint: string | undefined }): CliError =>
  message.startsWith('Only root')
    ? denied(message, hint)
    : new CliError(exit.error, { type: 'panel:problems/setup', title: message, ...(hint && { hint }) })
