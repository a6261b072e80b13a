import { areas } from '../src/areas/index.ts'
import { storePartsOf } from '../src/runtime/stored.ts'
import { openStore as open, type Store, type StoreOptions } from '../src/store/open.ts'

/** What all areas say of their tables. */
export const parts = storePartsOf(areas)
export const { migrations } = parts

/** A store as the server opens it. */
export const openStore = (file: string, options: Partial<StoreOptions> = {}): Store =>
  open(file, { ...parts, ...options })
