import { exit } from '../../shared/exit.ts'
import { CliError, denied } from '../errors.ts'

/** What stands in the way of a command about this machine, as an error of the command line. */
export const problemOf = ({ message, hint }: { message: string; hint: string | undefined }): CliError =>
  message.startsWith('Only root')
    ? denied(message, hint)
    : new CliError(exit.error, { type: 'panel:problems/setup', title: message, ...(hint && { hint }) })
