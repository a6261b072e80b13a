import { eq } from 'drizzle-orm'
import { lastUsedTracker } from '../../runtime/security/last-used.ts'
import { tokens } from './tables.ts'

/** When each token was last used. */
export const tokenUses = lastUsedTracker((db, id, { at, address }) => {
  db.update(tokens)
    .set({ last_used_at: at, last_used_ip: address ?? null })
    .where(eq(tokens.id, id))
    .run()
})
