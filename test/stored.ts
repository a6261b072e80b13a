import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { areas } from '../src/areas/index.ts'
import { storePartsOf } from '../src/runtime/areas/store-parts.ts'
import { openStore as open, type Store, type StoreOptions } from '../src/store/open.ts'

/** All areas' tables. */
export const parts = storePartsOf(areas)
export const { migrations } = parts

let migrated: Buffer | undefined

/** A new store after all migrations, which run only once since they are slow. */
export const migratedStore = (): Buffer => (migrated ??= migrate())

function migrate(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'panel-migrated-'))
  const file = join(folder, 'panel.db')
  try {
    open(file, parts).close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A store as the server opens it. */
export function openStore(file: string, options: Partial<StoreOptions> = {}): Store {
  const plain = options.onFailPoint === undefined && options.migrations === undefined
  if (plain && !existsSync(file)) writeFileSync(file, migratedStore(), { mode: 0o600 })
  return open(file, { ...parts, ...options })
}
