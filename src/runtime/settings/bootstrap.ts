import type { Runtime } from '../runtime.ts'
import { getSetting, setSetting } from './settings.ts'

/** A store's first start: creates root, the server's id and what each area needs, in one change. */
export async function firstStart(runtime: Runtime): Promise<void> {
  const { store, areas } = runtime
  if (getSetting(store.db, 'root_id') !== undefined) return
  await store.change(() => {
    setSetting(store.db, 'root_id', runtime.id())
    setSetting(store.db, 'server_id', runtime.id())
    for (const area of areas) area.first?.(runtime)
  })
}
