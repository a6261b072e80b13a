import type { Outbox } from '../../host/contract/client.ts'
import { quotaUsedUp } from '../../host/contract/driver.ts'
import type { Caller } from '../../runtime/operations/context.ts'
import type { Inbox } from '../../runtime/operations/host-call.ts'
import type { OfAccount } from './of-account.ts'
import { Incoming } from './pending-bytes.ts'
import { asProblem, withProblems } from './problem.ts'
import { makeRoom, type Room, refuseBeyond, roomLeft } from './quota.ts'

/** The body size that a caller announces. */
export function announcedBy(caller: Caller | undefined): number | undefined {
  const length = caller?.header('content-length')
  return length === undefined ? undefined : Number(length)
}

interface UploadBody {
  readonly announced: number | undefined
  /** The maximum number of bytes. */
  readonly max: number
  /** Whether received bytes are kept if the rest does not arrive. */
  readonly keepsParts: boolean
}

/** Opens a stream into a home, limited to the room there is. */
type Open<Done> = (room: Room) => Promise<Outbox<Done>>

/** Receives a body into a home, and counts it. */
export async function receiving<Done, Answer>(
  ctx: OfAccount,
  { announced, max, keepsParts }: UploadBody,
  signal: AbortSignal,
  open: Open<Done>,
  show: (done: Done) => Answer,
): Promise<Inbox<Answer>> {
  const {
    runtime,
    found: { account },
  } = ctx
  await makeRoom(runtime, account.id, { bytes: announced ?? max }, signal)
  await refuseBeyond(ctx, roomLeft(runtime, account.id), announced)
  const room = roomLeft(runtime, account.id)
  if (announced !== undefined && announced > (room.room ?? announced)) throw asProblem(quotaUsedUp())
  // No await in between: room must not be given twice.
  const incoming = new Incoming(runtime, account.id, announced)
  const outbox = await open(room).catch((error: unknown) => {
    incoming.end({ stays: false })
    throw error
  })
  return {
    take: (bytes) => withProblems(() => outbox.send(incoming.counted(bytes))),
    async commit(signal) {
      const done = await withProblems(() => outbox.commit({ signal }))
      incoming.end({ stays: true })
      return show(done)
    },
    discard() {
      incoming.end({ stays: keepsParts })
      return outbox.discard()
    },
  }
}
