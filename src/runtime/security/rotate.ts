import { randomBytes } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { syncPath, writePrivate } from '../../shared/files.ts'
import { keyBytes, keyFiles, keysIn } from '../../shared/keys.ts'
import { BackupProblem } from '../../store/archive.ts'
import { lockDirectory } from '../../store/lock.ts'
import { openStore, type Store } from '../../store/open.ts'
import type { SealedColumn, StoreParts } from '../../store/parts.ts'
import { checkSealed, reseal, wipeFreePlaces } from '../../store/reseal.ts'
import { finishSwap } from '../../store/swap.ts'
import { type Encryption, encryptionOf } from './seal.ts'

const [currentKey, nextKey] = keyFiles

export interface Rotation {
  readonly dataDir: string
  readonly parts: StoreParts
  /** Called before each point, so that a test can stop there. */
  readonly onFailPoint?: (point: 'key-written' | 'before-commit' | 'resealed' | 'renamed') => void
}

/**
 * Re-encrypts everything in the store under a new secret.key while no server runs; returns how many values. The new key
 * is first written beside the old one and renamed last: in between both are valid, and the next run continues.
 */
export async function rotateSecret({ dataDir, parts, onFailPoint = () => {} }: Rotation): Promise<number> {
  refuseWithout(dataDir)
  const file = join(dataDir, 'panel.db')
  const unlock = lockDirectory(join(dataDir, 'panel.lock'))
  try {
    finishSwap(dataDir)
    const store = openStore(file, {
      ...parts,
      onFailPoint: (point) => point === 'before-commit' && onFailPoint(point),
    })
    const values = await resealStore(store, dataDir, parts.sealed, onFailPoint).finally(() => store.close())
    onFailPoint('resealed')
    wipeFreePlaces(file)
    renameSync(join(dataDir, nextKey), join(dataDir, currentKey))
    syncPath(dataDir)
    onFailPoint('renamed')
    return values
  } finally {
    unlock()
  }
}

function refuseWithout(dataDir: string): void {
  for (const name of ['panel.db', currentKey]) {
    if (!existsSync(join(dataDir, name)))
      throw new BackupProblem(`there is no ${name} in ${dataDir}`, 'name its directory with --data-dir')
  }
}

async function resealStore(
  store: Store,
  dataDir: string,
  columns: readonly SealedColumn[],
  onFailPoint: NonNullable<Rotation['onFailPoint']>,
): Promise<number> {
  const old = ringOf(dataDir, columns)
  checkSealed(store.sqlite, columns, old.unseal)
  const next = join(dataDir, nextKey)
  if (!existsSync(next)) writePrivate(next, randomBytes(keyBytes))
  onFailPoint('key-written')
  const both = ringOf(dataDir, columns)
  return store.change(() =>
    reseal(store.sqlite, columns, (purpose, sealed) => both.seal(purpose, both.unseal(purpose, sealed))),
  )
}

/** Encrypts with the newest key of a data directory. */
const ringOf = (dataDir: string, columns: readonly SealedColumn[]): Encryption =>
  encryptionOf(keysIn(dataDir).reverse(), columns)
