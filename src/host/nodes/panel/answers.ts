import type { PendingCommand } from '../../agent/client/link.ts'
import { MAX_FRAME_BYTES } from '../../agent/protocol/frames.ts'
import { commandOf } from '../../contract/commands/index.ts'
import { fileErrors } from '../../contract/driver.ts'
import { accepts, readAs } from '../../contract/fields.ts'
import * as shape from '../../contract/shape.ts'

const ticketed = shape.fields({ ticket: shape.ticket })

/** Whether a node's answer fits the request: rounds over all nodes write it to the store. */
export const isAnswer = (request: PendingCommand, answer: unknown): boolean => readAnswer(request, answer) !== undefined

/**
 * A node's answer without fields that its command does not declare, since it may be spread over a row; undefined if it does
 * not fit the request.
 */
export function readAnswer(
  { command, input }: PendingCommand,
  answer: unknown,
): { readonly value: unknown } | undefined {
  const { result, bulk, fits } = commandOf(command)
  const known = readAs(result, answer)
  if (!known || !(fits?.(input, answer) ?? true)) return undefined
  if (!bulk) return known
  const ticket = readAs(ticketed, answer)
  return ticket && { value: { ...(known.value as object), ...ticket.value } }
}

/** Of an answer that is no list or text of a tenant's. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** The largest answer that a node may give to a command. */
export const maxAnswerBytes = ({ command, input }: PendingCommand): number =>
  commandOf(command).large?.(input) ? MAX_FRAME_BYTES : MAX_ANSWER_BYTES

const outcome = shape.fields({
  status: shape.oneOf('done', 'superseded', 'cancelled', 'unsupported', 'failed'),
  stage: shape.maybe(shape.oneOf('unsupported', 'stage', 'precheck', 'install', 'validate', 'remove')),
  message: shape.maybe(shape.sentence),
  fileError: shape.maybe(
    shape.fields({ code: shape.oneOf(...fileErrors), field: shape.maybe(shape.name), size: shape.maybe(shape.count) }),
  ),
})
const progress = shape.fields({ line: shape.sentence, done: shape.number })

/** Whether a command's outcome is well-formed. */
export const isOutcome = (value: unknown): boolean => accepts(outcome, value)

/** Whether a progress line is well-formed. */
export const isProgress = (value: unknown): boolean => accepts(progress, value)
