import { areas } from '../areas/index.ts'
import { storePartsOf } from '../runtime/areas/store-parts.ts'
import { systemClock } from '../runtime/clock/clock.ts'
import { rotateSecret as rotate } from '../runtime/security/rotate.ts'
import { examine } from '../runtime/settings/inspect-copy.sql.ts'
import { type BackupOptions, backUp as copy } from '../store/backup.ts'
import { type Agree, restore as putBack, type RestoreOptions } from '../store/restore.ts'
import { takeOver as takeStore } from '../store/takeover.ts'
import { refuseWhileServed, refuseWithoutKey } from './takeover.ts'

export { residentOf } from './peek-store.ts'

const parts = storePartsOf(areas)

export const backUp = (options: BackupOptions) => copy(options, parts)
export const restore = (options: RestoreOptions, agree: Agree) => putBack(options, parts, agree)
export const takeOver = (options: RestoreOptions, agree: Agree) =>
  takeStore({ ...options, now: systemClock.now() }, parts, async (intent) => {
    refuseWithoutKey(options, intent)
    await refuseWhileServed(intent.archive.file)
    await agree(intent)
  })
export const examineCopy = (copy: string, dataDir: string, began: number) => examine(copy, dataDir, began, parts)
export const rotateSecret = (dataDir: string) => rotate({ dataDir, parts })
