import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const HASH_VARIABLE = 'PANEL_TESTED_SOURCES'

/** What builds for tests depend on besides the sources: the packages, how it is built, and Node, whose code is cached. */
const others = ['package-lock.json', 'packaging/browser.mjs', 'test/built.ts', 'test/ready-keys.ts', 'test/table.ts']

/** A hash of the content of these files and folders. */
export function contentHash(paths: readonly string[], start = ''): string {
  const hash = createHash('sha256').update(start)
  for (const path of paths.flatMap(filesBelow)) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 16)
}

function filesBelow(path: string): string[] {
  if (/\.\w+$/.test(path)) return [path]
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .sort()
}

/** A hash of all sources. Workers have it from the process that started them, or they would read them all once more. */
export const sourcesHash = (): string => (process.env[HASH_VARIABLE] ??= contentHash(['src'], ownHash()))

/** Before all tests: the sources may have changed since this process started. */
export function rehashSources(): string {
  delete process.env[HASH_VARIABLE]
  return sourcesHash()
}

function ownHash(): string {
  const present = others.filter((file) => readdirSync(join(root, join(file, '..'))).includes(file.split('/').at(-1)!))
  return contentHash(present, process.version)
}
