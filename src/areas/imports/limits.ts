import { getSetting } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    import_dirs: string[]
    import_entries_max: number
    import_bytes_max: number
    import_parallel: number
  }
}

export const importSettings = {
  import_dirs: ['/var/lib/panel/imports', '/root', '/backup'],
  import_entries_max: 10_000_000,
  import_bytes_max: 500 * 1024 ** 3,
  import_parallel: 2,
}

/** An archive of the server's, and how much of it may be read. */
export const requestFor = (db: Db, path: string) => ({
  path,
  dirs: getSetting(db, 'import_dirs') ?? importSettings.import_dirs,
  maxEntries: getSetting(db, 'import_entries_max') ?? importSettings.import_entries_max,
  maxBytes: getSetting(db, 'import_bytes_max') ?? importSettings.import_bytes_max,
})
