import { command, isLarge } from '../command.ts'
import { type Output, object, yesOrNo } from '../fields.ts'
import * as shape from '../shape.ts'
import { anyCount } from './names.ts'

/** The trash of a deleted account or mailbox. */
const item = shape.fields({
  id: shape.exactly(/^[0-9A-Z]{26}$/),
  path: shape.text(8192),
  /** In bytes; 0 if not requested. */
  size: shape.count,
  deletedAt: shape.moment,
})
export type HostTrashItem = Output<typeof item>

/** To look at everything of one kind, as nothing waits for it. */
const LOOK_TIMEOUT_MS = 60_000
/** To remove trash: a job, which has its own limits. */
const EMPTY_TIMEOUT_MS = 24 * 60 * 60_000

export const trashCommands = {
  /** The trash of deleted accounts and mailboxes, the oldest first; `measured`: with sizes. */
  hostTrash: command({
    input: object({ measured: yesOrNo }, 'hostTrash'),
    result: shape.fields({ items: shape.list(item) }),
    route: {
      everywhere: {
        ms: LOOK_TIMEOUT_MS,
        merge: (all) => ({
          items: all.flatMap(({ items }) => items).sort((one, other) => one.deletedAt - other.deletedAt),
        }),
      },
    },
    large: isLarge,
  }),
  /** Permanently removes, at low priority, what was trashed before a given time. */
  emptyHostTrash: command({
    input: object({ before: anyCount }, 'emptyHostTrash'),
    result: shape.fields({ removed: shape.count }),
    route: {
      everywhere: {
        ms: EMPTY_TIMEOUT_MS,
        merge: (all) => ({ removed: all.reduce((sum, { removed }) => sum + removed, 0) }),
      },
    },
  }),
}
