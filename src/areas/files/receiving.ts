import type { Outbox } from '../../host/client.ts'
import type { Caller } from '../../runtime/context.ts'
import type { Inbox } from '../../runtime/host-call.ts'
import type { OfAccount } from './of-account.ts'
import { withProblems } from './problem.ts'
import { makeRoom, refuseBeyond, roomLeft } from './room.ts'
import { Incoming } from './tally.ts'

/** The body size that a caller announces. */
export function announcedBy(caller: Caller | undefined): number | undefined {
  const length = caller?.header('content-length')
  return length === undefined ? undefined : Number(length)
}

interface Body {
  readonly announced: number | undefined
  /** The maximum number of bytes. */
  readonly most: number
  /** Whether received bytes are kept if the rest does not arrive. */
  readonly keepsParts: boolean
}

/** Opens a stream into a home, limited to the room there is. */
type Open<Done> = (room: { readonly room?: number }) => Promise<Outbox<Done>>

/** Receives a body into a home, and counts it. */
export async function receiving<Done, Shown>(
  { runtime, found: { account } }: OfAccount,
  { announced, most, keepsParts }: Body,
  signal: AbortSignal,
  open: Open<Done>,
  show: (done: Done) => Shown,
): Promise<Inbox<Shown>> {
  await makeRoom(runtime, account.id, announced ?? most, signal)
  const room = roomLeft(runtime, account.id)
  refuseBeyond(room, announced)
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
