import type { Runtime } from './runtime.ts'
import { getSetting, setSetting } from './settings.ts'

/** The first start of a store: root, the server's own id, and what each area needs to stand on, in one change. */
export async function firstStart(runtime: Runtime): Promise<void> {
  const { store, areas } = runtime
  if (getSetting(store.db, 'root_id') !== undefined) return
  await store.change(() => {
    setSetting(store.db, 'root_id', runtime.id())
    setSetting(store.db, 'server_id', runtime.id())
    for (const area of areas) area.first?.(runtime)
  })
}
