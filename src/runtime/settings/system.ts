import type { Db } from '../../store/open.ts'
import type { Actor } from '../operations/actor.ts'
import { getSetting } from './settings.ts'

/** The actor for work that no caller requested. */
export const systemActor = (db: Db): Actor => ({
  type: 'system',
  id: getSetting(db, 'server_id')!,
  name: 'system',
  via: 'system',
})
