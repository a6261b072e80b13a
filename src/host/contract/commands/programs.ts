import { mailboxAddress } from '../../parts/mail/state.ts'
import { command } from '../command.ts'
import { type Output, object, oneOf, optional } from '../fields.ts'
import { programNames } from '../programs.ts'
import * as shape from '../shape.ts'
import { accountName } from './names.ts'

/** What a link opens. */
const request = object(
  {
    account: accountName,
    program: oneOf(...programNames),
    /** The mailbox that webmail opens; phpMyAdmin opens the account's databases. */
    mailbox: optional(mailboxAddress),
  },
  'a link into a program',
)
export type ProgramRequest = Output<typeof request>

/** Programs of the machine that links open. */
export const programCommands = {
  /** Lets in the first bearer of the token, while the link is valid. */
  openProgram: command({
    input: request,
    result: shape.fields({ token: shape.exactly(/^[\w-]{20,200}$/) }),
    route: { account: ({ account }) => account.id },
  }),
}
