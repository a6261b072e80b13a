import { and, eq, isNotNull } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { sends } from './tables.ts'

/** What waits for a channel is not sent; inside a change. */
export const dropWaiting = (db: Db, channelId: string, now: number, error: string): void =>
  void db
    .update(sends)
    .set({ outcome: 'skipped', at: now, due_at: null, error })
    .where(and(eq(sends.channel_id, channelId), isNotNull(sends.due_at)))
    .run()
