import { relayPatterns } from '../../../shared/patterns.ts'
import { relayFields } from '../../parts/mail/relay.ts'
import { command } from '../command.ts'
import { type Output, object, patterns, text } from '../fields.ts'
import * as shape from '../shape.ts'
import { anyCount, nothing } from './names.ts'

export const MAX_MESSAGE_BYTES = 65_536
/** What a relay says beyond this is cut. */
const MAX_ANSWER = 254

/** A message of the panel itself, ready to be sent to one address: headers and body in ASCII. */
const outgoingMail = object(
  { id: text(patterns.id), to: text(patterns.email), message: text(/^[\t\r\n\x20-\x7e]+$/, MAX_MESSAGE_BYTES) },
  'a message',
)
export type OutgoingMail = Output<typeof outgoingMail>

const relayTest = object(
  {
    ...relayFields,
    id: text(patterns.id),
    name: text(/^[a-z][a-z0-9-]{0,30}$/),
    at: anyCount,
    from: text(patterns.email),
    to: text(relayPatterns.recipient),
    /** The machine that sends it. */
    hostname: text(patterns.hostname),
  },
  'a test',
)
export type RelayTest = Output<typeof relayTest>

/** The panel's own mail. */
export const mailCommands = {
  /** Whether the host can send it. */
  canSendMail: command({ input: nothing('canSendMail'), result: shape.fields({ ready: shape.flag }) }),
  /** Hands a message to the mail server; twice if the agent is lost meanwhile. */
  sendMail: command({ input: outgoingMail, result: shape.none }),
  /** Sends a message by a relay, and returns what that answered. */
  testRelay: command({
    input: relayTest,
    result: shape.fields({ accepted: shape.flag, answers: shape.list(shape.text(2 * MAX_ANSWER), 20) }),
  }),
}
