import { isRewritten } from '../../shared/patterns.ts'
import type { TraceRow } from '../contract/commands/mail-trace.ts'
import { printable } from '../mail-queue/select.ts'
import { type Delivery, type LogEvent, NO_QUEUE } from './log-line.ts'
import type { Message, NewRow, TraceFile } from './trace-file.sql.ts'

interface Owner {
  readonly uid: number
}

/** Whose addresses are whose. */
export interface MailOwners {
  ofDomain(domain: string): Owner | undefined
  ofMailbox(address: string): Owner | undefined
  /** The score from which mail for a domain goes to Junk; undefined if none does. */
  junkScore(domain: string): number | undefined
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()
const isSame = (one: Owner | undefined, other: Owner | undefined): boolean => one?.uid === other?.uid

/** Takes up what a line says. */
export function applyEvent(file: TraceFile, owners: MailOwners, event: LogEvent): void {
  const { at, id } = event
  switch (event.kind) {
    case 'client': {
      const uid = event.login === undefined ? undefined : owners.ofMailbox(event.login)?.uid
      return file.note(id, at, { client: event.client, ...(uid !== undefined && { uid }) })
    }
    case 'program':
      return file.note(id, at, { uid: event.uid })
    case 'active':
      return file.note(id, at, { sender: event.from, size: event.size, attempts: 1 })
    case 'score':
      return file.note(id, at, { score: event.score })
    case 'expired':
      return file.end(id, 'bounced', at)
    case 'removed':
      if (event.byHand) file.end(id, 'discarded', at)
      return file.drop(id)
    case 'reject':
      return reject(file, owners, event)
    case 'returned':
      return file.requeue(id, event.next, printable(event.to), () =>
        rowsOf(forwardOf(event), file.message(id), owners).map((row) => ({ ...row, at, queueId: event.next })),
      )
    case 'delivery':
      if (isReturned(file.message(id), owners)) return file.arrive({ id, at, ...endOf(event) })
      for (const row of rowsOf(event, file.message(id), owners)) file.add({ ...row, at, queueId: id })
  }
}

/** Recipients that are refused at the door; a sender that logged in sees the answer itself. */
function reject(file: TraceFile, owners: MailOwners, event: LogEvent & { kind: 'reject' }): void {
  const owner = owners.ofDomain(domainOf(event.to))
  const message = event.id === NO_QUEUE ? undefined : file.message(event.id)
  if (!owner || (message?.uid ?? null) !== null) return
  const { at, client } = event
  const [from, to, answer] = [printable(event.from), printable(event.to), printable(event.answer)]
  file.add({ at, uid: owner.uid, direction: 'in', from, to, client, outcome: 'rejected', answer, target: to })
}

/** It has no client: the agent handed it over, under a sender of an own domain. */
function isReturned(message: Message | undefined, owners: MailOwners): boolean {
  const { sender, client, uid } = message ?? {}
  if (typeof sender !== 'string' || client !== null || uid !== null) return false
  return isRewritten(sender) && owners.ofDomain(domainOf(sender)) !== undefined
}

const forwardOf = ({
  to,
  original,
  at,
  id,
}: LogEvent & { kind: 'returned' }): Delivery & { at: number; id: string } => ({
  ...{ kind: 'delivery', program: 'smtp', status: 'sent', answer: '', at, id, to, original },
})

/** What became of a forwarded message in the end. */
const endOf = ({ to, status, remoteHost, answer }: Delivery) => ({
  target: printable(to),
  outcome: status === 'sent' ? ('forwarded' as const) : status,
  remoteHost: remoteHost === undefined ? undefined : printable(remoteHost),
  answer: printable(answer),
})

type Row = Omit<NewRow, 'at' | 'queueId'>

/** The row of the account that submitted it, and of those whose addresses it is for: each sees its own side. */
function rowsOf(event: Delivery, message: Message | undefined, owners: MailOwners): Row[] {
  if (message?.sender === null || message?.sender === undefined) return []
  const address = event.original ?? event.to
  const [first, last] = [owners.ofDomain(domainOf(address)), owners.ofDomain(domainOf(event.to))]
  const submitter = message.uid === null ? undefined : { uid: message.uid }
  const shared = { from: printable(message.sender), answer: printable(event.answer), target: printable(event.to) }
  const size = message.size === null ? {} : { size: message.size }
  const client = message.client === null ? {} : { client: message.client }
  // Where a neighbour sits who sent it is not the recipient's to know.
  const coming = (owner: Owner) => (submitter && !isSame(submitter, owner) ? {} : client)
  const score = message.score === null ? {} : { score: message.score }
  const of = (owner: Owner, direction: TraceRow['direction'], to: string): Row => ({
    ...{ ...shared, ...size, uid: owner.uid, direction, to: printable(to), outcome: outcomeOf(event.status) },
  })
  const rows: Row[] = []
  if (submitter) rows.push({ ...of(submitter, 'out', address), ...client, ...seenBySender(event, submitter, first) })
  if (first)
    rows.push({
      ...of(first, 'in', address),
      ...coming(first),
      ...score,
      ...arrived(event, message, first, last, owners),
    })
  if (last && !isSame(first, last))
    rows.push({
      ...of(last, 'in', event.to),
      ...coming(last),
      ...score,
      ...arrived(event, message, last, last, owners),
    })
  return rows
}

const outcomeOf = (status: Delivery['status']): TraceRow['outcome'] => (status === 'sent' ? 'delivered' : status)

/** Where another account sends its mail on to is not the sender's to know. */
function seenBySender({ to, original = to, remoteHost }: Delivery, submitter: Owner, first: Owner | undefined) {
  if (first && !isSame(first, submitter) && original !== to) return { answer: '', target: printable(original) }
  return remoteHost === undefined ? {} : { remoteHost: printable(remoteHost) }
}

/** What became of it for an owner of the recipient. */
function arrived(
  event: Delivery,
  { score }: Message,
  owner: Owner,
  last: Owner | undefined,
  owners: MailOwners,
): Partial<Row> {
  const host = event.remoteHost === undefined ? {} : { remoteHost: printable(event.remoteHost) }
  if (event.status !== 'sent') return host
  if (event.program === 'discard') return { outcome: 'discarded' }
  if (event.program === 'smtp' || !isSame(owner, last)) return { outcome: 'forwarded', ...host }
  const junk = owners.junkScore(domainOf(event.to))
  const isSpam = junk !== undefined && score !== null && Math.floor(score) >= junk
  return { outcome: isSpam ? 'spam' : 'delivered', mailbox: printable(event.to) }
}
