import { eq } from 'drizzle-orm'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting, setSetting } from '../../runtime/settings/settings.ts'
import { featureLists } from '../feature-lists/tables.ts'
import { packages } from './tables.ts'

/** Creates the default package. */
export function makeDefaultPackage(runtime: Runtime): void {
  const { db } = runtime.store
  const now = runtime.clock.now()
  const id = runtime.id()
  const list = db.select({ id: featureLists.id }).from(featureLists).where(eq(featureLists.name, 'default')).get()!
  db.insert(packages)
    .values({
      id,
      name: 'default',
      owner_id: getSetting(db, 'root_id')!,
      feature_list_id: list.id,
      theme: 'default',
      shell: '/usr/sbin/nologin',
      locale: 'en',
      cgi: true,
      dedicated_ip: false,
      digest_auth: false,
      created_at: now,
      updated_at: now,
    })
    .run()
  setSetting(db, 'default_package_id', id)
}
