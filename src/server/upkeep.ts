import { areas } from '../areas/index.ts'
import { rotateSecret as rotate } from '../runtime/rotate.ts'
import { storePartsOf } from '../runtime/stored.ts'
import { type BackupOptions, backUp as copy } from '../store/backup.ts'
import { type Agree, restore as putBack, type RestoreOptions } from '../store/restore.ts'

/** What is done to a data directory beside its server. */
const parts = storePartsOf(areas)

export const backUp = (options: BackupOptions) => copy(options, parts)
export const restore = (options: RestoreOptions, agree: Agree) => putBack(options, parts, agree)
export const rotateSecret = (dataDir: string) => rotate({ dataDir, parts })
