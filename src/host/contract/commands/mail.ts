import { command } from '../command.ts'
import { type Output, object, patterns, text } from '../fields.ts'
import * as shape from '../shape.ts'
import { nothing } from './names.ts'

export const MAX_MESSAGE_BYTES = 65_536

/** A message of the panel itself, ready to be sent to one address: headers and body in ASCII. */
const outgoingMail = object(
  { id: text(patterns.id), to: text(patterns.email), message: text(/^[\t\r\n\x20-\x7e]+$/, MAX_MESSAGE_BYTES) },
  'a message',
)
export type OutgoingMail = Output<typeof outgoingMail>

/** The panel's own mail. */
export const mailCommands = {
  /** Whether the host can send it. */
  canSendMail: command({ input: nothing('canSendMail'), result: shape.fields({ ready: shape.flag }) }),
  /** Hands a message to the mail server; twice if the agent is lost meanwhile. */
  sendMail: command({ input: outgoingMail, result: shape.none }),
}
