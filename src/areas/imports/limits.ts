import { invalid } from '../../contract/problem.ts'
import { canonicalRange } from '../../runtime/operations/address.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Settings } from '../../runtime/settings/settings.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import type { ImportRow } from './tables.ts'
import { uploadsDir } from './uploads/files.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    import_dirs: string[]
    import_entries_max: number
    import_bytes_max: number
    import_parallel: number
    import_networks: string[]
    import_upload_max: number
  }
}

export const importSettings = {
  import_dirs: ['/var/lib/panel/imports', '/root', '/backup'],
  import_entries_max: 10_000_000,
  import_bytes_max: 500 * 1024 ** 3,
  import_parallel: 2,
  import_networks: [] as string[],
  import_upload_max: 200 * 1024 ** 3,
}

export function refuseNetworks({ import_networks: networks = [] }: Partial<Settings>): void {
  const wrong = networks.find((one) => canonicalRange(one) === undefined)
  if (wrong === undefined) return
  throw invalid('import_networks', `${wrong} is not an address or a range such as 10.1.0.0/16`)
}

/** An archive on the server, and how much of it may be read. */
export const requestFor = (
  { store }: Pick<Runtime, 'store'>,
  { path, upload_id }: Pick<ImportRow, 'path' | 'upload_id'>,
) => ({
  path,
  dirs:
    upload_id === null ? (getSetting(store.db, 'import_dirs') ?? importSettings.import_dirs) : [uploadsDir({ store })],
  maxEntries: getSetting(store.db, 'import_entries_max') ?? importSettings.import_entries_max,
  maxBytes: getSetting(store.db, 'import_bytes_max') ?? importSettings.import_bytes_max,
})
