import { MAX_REASON_LENGTH } from '../../contract/events.ts'
import type { Declaration } from '../../contract/operation.ts'
import { isDestructive } from '../../contract/reach.ts'
import type { AgentCall, Changed, Effects, Request } from '../backend.ts'
import { callOperation } from '../call.ts'
import { MAX_CHANGES_PER_HOUR } from '../change-log.ts'
import { CONFIRM_TTL_MS } from '../confirmations.ts'
import { ToolFailure } from '../failure.ts'
import { fingerprintOf, type Input, requestOf } from '../input.ts'
import { inverseOf } from '../inverse.ts'
import { isRead, operationCalled } from '../operations.ts'
import { MAX_RESULT_BYTES, sizeOf, type ToolResult } from '../result.ts'
import { sentenceOf } from '../sentence.ts'
import type { McpSession } from '../session.ts'
import { untrustedPaths } from '../untrusted.ts'
import { type Arguments, inputIn, isObject, optionalText, textIn } from './arguments.ts'
import { MAX_ID_LENGTH } from './describe.ts'

const MAX_CONFIRM_LENGTH = 64

/** What is to be changed, why, and with which confirmation. */
interface Ordered {
  readonly op: Declaration
  readonly input: Input
  readonly reason: string
  readonly confirm: string | undefined
  readonly undoes?: AgentCall['undoes']
}

/** Says what would happen; with the `confirm` of that, does it. */
export async function change(session: McpSession, args: Arguments): Promise<ToolResult> {
  refuseReadOnly(session)
  const op = operationCalled(textIn(args, 'id', MAX_ID_LENGTH), session)
  if (isRead(op)) throw new ToolFailure('validation', `${op.id} only reads.`, `Use read("${op.id}", …).`)
  return carryOut(session, {
    op,
    input: inputIn(args),
    reason: textIn(args, 'reason', MAX_REASON_LENGTH),
    confirm: optionalText(args, 'confirm', MAX_CONFIRM_LENGTH),
  })
}

export function refuseReadOnly({ readOnly }: McpSession): void {
  if (readOnly !== undefined) throw new ToolFailure('read-only', 'This session is read-only.', readOnly)
}

/** A dry run without a valid confirmation, else the change. */
export async function carryOut(session: McpSession, ordered: Ordered): Promise<ToolResult> {
  const request = requestOf(ordered.op, ordered.input, session)
  const fingerprint = fingerprintOf(session.caller, ordered.op, request)
  const { confirm } = ordered
  if (confirm === undefined) return foresee(session, ordered, request, fingerprint)
  if (!session.confirmations.isValid(confirm, fingerprint)) throw unconfirmed()
  if (isDestructive(ordered.op)) await approved(session, ordered, request, { confirm, fingerprint })
  if (!session.confirmations.take(confirm, fingerprint)) throw unconfirmed()
  if (!session.changes.count())
    throw new ToolFailure(
      'too-many',
      `There were ${MAX_CHANGES_PER_HOUR} changes in the last hour.`,
      'Wait, or ask the person.',
    )
  return done(session, ordered, request)
}

const unconfirmed = (): ToolFailure =>
  new ToolFailure(
    'unconfirmed',
    'The confirmation is unknown, used, expired, or for another operation, input or caller.',
    'Call again without confirm, and repeat exactly that input with the new confirm.',
  )

async function effectsOf(session: McpSession, { op, reason, undoes }: Ordered, request: Request): Promise<Effects> {
  const agent = { dryRun: true, reason, ...(undoes && { undoes }) }
  return (await callOperation(session, op, request, agent)) as Effects
}

async function foresee(
  session: McpSession,
  ordered: Ordered,
  request: Request,
  fingerprint: string,
): Promise<ToolResult> {
  const { op, input } = ordered
  const effects = cutToFit(await effectsOf(session, ordered, request))
  return {
    dry_run: true,
    would: effects,
    sentence: sentenceOf(op, input, effects),
    destructive: isDestructive(op),
    confirm: session.confirmations.issue(fingerprint, session.holder),
    confirm_expires_in: CONFIRM_TTL_MS / 1000,
    next: 'Nothing was changed. To do it, call again with the same arguments and this confirm.',
    untrusted: [...untrustedPaths(effects, undefined, 'would').filter(isForeign), 'sentence'],
  }
}

/** Kinds of events and jobs are the panel's own words. */
const isForeign = (path: string): boolean => !/^would\.(events|jobs)\[\*\]\.(type|object|kind)$/.test(path)

/** A change of thousands of records: their events are counted, not listed. */
function cutToFit(effects: Effects): Effects {
  const limit = 20
  const { before, after, ...rest } = effects
  const values = { ...(before && { before }), ...(after && { after }) }
  return {
    ...rest,
    events: rest.events.slice(0, limit),
    jobs: rest.jobs.slice(0, limit),
    ...(sizeOf(values) < MAX_RESULT_BYTES / 2 && values),
    ...(rest.events.length > limit && { events_total: rest.events.length }),
  }
}

interface Confirmed {
  readonly confirm: string
  readonly fingerprint: string
}

/** Asks a person. What they read is made anew, from what the change would do now. */
async function approved(
  session: McpSession,
  ordered: Ordered,
  request: Request,
  { confirm, fingerprint }: Confirmed,
): Promise<void> {
  const effects = await effectsOf(session, ordered, request)
  session.confirmations.extend(confirm)
  const approval = await session.approve({ sentence: sentenceOf(ordered.op, ordered.input, effects), fingerprint })
  if (approval.status === 'approved') return
  if (approval.status === 'unavailable')
    throw new ToolFailure('approval-required', 'A person must approve this change.', approval.how)
  session.confirmations.take(confirm, fingerprint)
  throw new ToolFailure('declined', 'The person declined the change.', 'Do not try again unless they ask for it.')
}

async function done(session: McpSession, { op, reason, undoes }: Ordered, request: Request): Promise<ToolResult> {
  const agent = { reason, ...(undoes && { undoes }) }
  const { answer, change: made, secret_url } = (await callOperation(session, op, request, agent)) as Changed
  const inverse = made && inverseOf(made, answer)
  if (made && inverse) session.changes.remember(made, inverse)
  const fits = sizeOf(answer ?? null) < MAX_RESULT_BYTES * 0.75
  return {
    done: true,
    ...(made && { change: made.id }),
    ...(answer !== undefined && (fits ? { answer } : { answer_omitted: 'It is too large; read the object.' })),
    ...(isObject(answer) &&
      typeof answer['job_id'] === 'string' && { job: answer['job_id'], next: 'wait(job) tells when it is done.' }),
    ...(inverse && { undo: { change: made.id, by: inverse.operation } }),
    ...(secret_url !== undefined && {
      secret_url,
      secret: 'A person sees the secret there once, signed in, within 10 minutes.',
    }),
    untrusted: fits ? untrustedPaths(answer, op.answer, 'answer') : [],
  }
}
