import { eq } from 'drizzle-orm'
import { touchesOf } from '../../runtime/touch.ts'
import { tokens } from './tables.ts'

/** When each token was last used. */
export const tokenUses = touchesOf((db, id, { at, address }) => {
  db.update(tokens)
    .set({ last_used_at: at, last_used_ip: address ?? null })
    .where(eq(tokens.id, id))
    .run()
})
