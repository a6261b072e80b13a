import { invalid } from '../../contract/problem.ts'
import { canonicalRange } from '../../runtime/operations/address.ts'
import type { Settings } from '../../runtime/settings/settings.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    import_dirs: string[]
    import_entries_max: number
    import_bytes_max: number
    import_parallel: number
    import_networks: string[]
  }
}

export const importSettings = {
  import_dirs: ['/var/lib/panel/imports', '/root', '/backup'],
  import_entries_max: 10_000_000,
  import_bytes_max: 500 * 1024 ** 3,
  import_parallel: 2,
  import_networks: [] as string[],
}

export function refuseNetworks({ import_networks: networks = [] }: Partial<Settings>): void {
  const wrong = networks.find((one) => canonicalRange(one) === undefined)
  if (wrong === undefined) return
  throw invalid('import_networks', `${wrong} is not an address or a range such as 10.1.0.0/16`)
}

/** An archive of the server's, and how much of it may be read. */
export const requestFor = (db: Db, path: string) => ({
  path,
  dirs: getSetting(db, 'import_dirs') ?? importSettings.import_dirs,
  maxEntries: getSetting(db, 'import_entries_max') ?? importSettings.import_entries_max,
  maxBytes: getSetting(db, 'import_bytes_max') ?? importSettings.import_bytes_max,
})
