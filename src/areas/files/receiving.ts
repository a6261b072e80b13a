import type { Outbox } from '../../host/client.ts'
import type { Caller } from '../../runtime/context.ts'
import type { Inbox } from '../../runtime/host-call.ts'
import type { OfAccount } from './of-account.ts'
import { withProblems } from './problem.ts'
import { makeRoom, refuseBeyond, roomLeft } from './room.ts'
import { Incoming } from './tally.ts'

/** How many bytes a caller says that a body has. */
export function announcedBy(caller: Caller | undefined): number | undefined {
  const length = caller?.header('content-length')
  return length === undefined ? undefined : Number(length)
}

interface Body {
  readonly announced: number | undefined
  /** How many bytes it has at most. */
  readonly most: number
  /** Whether what has come stays when the rest does not come. */
  readonly keepsParts: boolean
}

/** What opens a way into a home, with as much room as there is. */
type Open<Done> = (room: { readonly room?: number }) => Promise<Outbox<Done>>

/** Takes a body into a home, and counts it there. */
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
  // Without a wait between: what another takes is not given twice.
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
