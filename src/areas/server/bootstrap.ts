import { networkInterfaces } from 'node:os'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting, setSetting } from '../../runtime/settings.ts'
import { featureLists } from '../feature-lists/tables.ts'
import { ips } from '../ips/tables.ts'
import { packages } from '../packages/tables.ts'

/** At first start: root, the server's own id, and the default feature list, address and package. */
export async function bootstrap(runtime: Runtime, mainAddress = firstAddress()): Promise<void> {
  if (getSetting(runtime.store.db, 'root_id') !== undefined) return
  await runtime.store.change(() => {
    const root = runtime.id()
    setSetting(runtime.store.db, 'root_id', root)
    setSetting(runtime.store.db, 'server_id', runtime.id())
    setSetting(runtime.store.db, 'default_package_id', defaults(runtime, root, mainAddress))
  })
}

function defaults(runtime: Runtime, owner_id: string, address: string): string {
  const { db } = runtime.store
  const now = runtime.clock.now()
  const made = () => ({ id: runtime.id(), created_at: now })
  const list = { ...made(), name: 'default', owner_id, features: {}, updated_at: now }
  const plan = { ...made(), name: 'default', owner_id, feature_list_id: list.id, updated_at: now }
  db.insert(featureLists).values(list).run()
  db.insert(ips)
    .values({ ...made(), address, version: 4, kind: 'shared', main: true })
    .run()
  db.insert(packages)
    .values({
      ...plan,
      theme: 'default',
      shell: '/usr/sbin/nologin',
      locale: 'en',
      cgi: true,
      dedicated_ip: false,
      digest_auth: false,
    })
    .run()
  return plan.id
}

function firstAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}
