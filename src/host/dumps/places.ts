import type { SavedDatabases } from '../backup/databases.ts'
import type { HomeAccess } from '../homes/access.ts'
import type { FailPoint } from '../install/engine.ts'

/** Where dumps come from and go to. */
export interface DumpPlaces {
  /** The host's root. */
  readonly root: string
  readonly homes: HomeAccess
  /** Absent: a directory, which keeps the statements. */
  readonly databases?: SavedDatabases | undefined
  readonly onFailPoint?: FailPoint | undefined
}
