import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { featureLists } from './tables.ts'

/** The list that packages get unless they name another. */
export function makeDefaultFeatureList(runtime: Runtime): void {
  const { db } = runtime.store
  const now = runtime.clock.now()
  const owner_id = getSetting(db, 'root_id')!
  db.insert(featureLists)
    .values({ id: runtime.id(), name: 'default', owner_id, features: {}, created_at: now, updated_at: now })
    .run()
}
