import { isNotNull } from 'drizzle-orm'
import { type Notices, noticeRowsOf } from '../accounts/objects/notice.ts'
import { channels } from './tables.ts'

const faulty = {
  kind: 'alert-channel-off',
  id: channels.id,
  account: channels.account_id,
  since: channels.updated_at,
} as const

const off = noticeRowsOf(faulty, (db) => db.select().from(channels).$dynamic(), isNotNull(channels.disabled_reason))

/** Channels that the server switched off. Those of resellers are shown to root alone, as the server's are. */
export const offChannels: Notices = ({ db }, scope) =>
  off(db, scope).map((channel) => ({
    kind: faulty.kind,
    severity: 'error',
    object: 'alert-channel',
    object_id: channel.id,
    name: channel.name,
    detail: channel.disabled_reason!,
    since: channel.updated_at,
    ...(channel.account_id === null
      ? { operation: 'updateAlertChannel' }
      : { operation: 'updateAlertChannelForAccount', account_id: channel.account_id }),
  }))
