import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { KeyPool, type RsaKey, type RsaKeys } from '../src/runtime/security/rsa-keys.ts'

const file = 'node_modules/.cache/panel-rsa-keys.json'
/** As many as a server makes ahead, so that domains differ. */
const count = 4

/** Keys made once for all servers under test: each takes a quarter of a second, and a server makes four at its start. */
export async function makeReadyKeys(root: string): Promise<void> {
  const path = join(root, file)
  if (existsSync(path)) return
  const pool = new KeyPool()
  const keys = await Promise.all(Array.from({ length: count }, () => pool.make(undefined)))
  mkdirSync(dirname(path), { recursive: true })
  // Replaced atomically: another worker may be reading it.
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(keys), { mode: 0o600 })
  renameSync(`${path}.${process.pid}`, path)
}

/** These keys in turn, in a server that was started at the root of the sources. */
export function readyKeys(): RsaKeys {
  const keys: readonly RsaKey[] = JSON.parse(readFileSync(file, 'utf8'))
  let made = 0
  const make = async (): Promise<RsaKey> => keys[made++ % keys.length]!
  return { take: make, make, fill: async () => {} }
}
