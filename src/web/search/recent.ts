import type { Answered } from '../kit/screen.ts'
import { readIfAllowed } from '../pages/page-context.ts'
import type { PageRequest } from '../pages/page-request.ts'

const DAY_MS = 24 * 3_600_000
const MAX_EVENTS_READ = 200
const MAX_RECENT = 6

/** An object as `lookup` answers it. */
interface Recent {
  readonly kind: string
  readonly name: string
  readonly id: string
  readonly username: string
}

/** The objects that were created or changed within a day, newest first, without those that were deleted. */
export async function recentObjects({ request, context }: PageRequest): Promise<readonly Recent[]> {
  const query = { since: String(request.screens.now() - DAY_MS), limit: String(MAX_EVENTS_READ) }
  const feed = context.accountId
    ? await readIfAllowed(request, 'listEventsForAccount', { params: { id: context.accountId }, query })
    : await readIfAllowed(request, 'listEvents', { query })
  const newest = new Map<string, Recent | undefined>()
  for (const event of (feed?.items ?? []).toReversed()) {
    const object = objectIn(event)
    if (!newest.has(event.data.object_id)) newest.set(event.data.object_id, object)
  }
  return [...newest.values()].filter((one) => one !== undefined).slice(0, MAX_RECENT)
}

function objectIn({ type, data: { object, object_id, account, details } }: Answered): Recent | undefined {
  const name = details?.address ?? details?.login ?? details?.name ?? details?.domain
  const username = account?.username
  if (typeof name !== 'string' || username === undefined || type.endsWith('.deleted')) return undefined
  return { kind: object, name, id: object_id, username }
}
