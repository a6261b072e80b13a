import type { Db } from '../store/open.ts'
import type { Actor } from './actor.ts'
import { getSetting } from './settings.ts'

/** The server itself, for work that no caller asked for. */
export const systemActor = (db: Db): Actor => ({
  type: 'system',
  id: getSetting(db, 'server_id')!,
  name: 'system',
  via: 'system',
})
