import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupCheck, BackupFindings, BackupOptions } from '../backups.ts'
import { type BackupManifest, type ManifestEntry, manifestName, sha256Of } from './manifest.ts'
import { directoryOf } from './place.ts'

/** Reads all of a backup and compares it with what was written down when it was made. */
export async function check(root: string, wanted: BackupCheck, options: BackupOptions): Promise<BackupFindings> {
  const directory = directoryOf(root, wanted.place)
  const manifest = await readManifest(directory, wanted.manifestSha256)
  if (typeof manifest === 'string') return { damage: [manifest] }
  const damage: string[] = []
  for (const [at, entry] of manifest.entries.entries()) {
    damage.push(...(await faultsOf(directory, entry, options.signal)))
    options.progress?.(`${entry.name} was read`, (at + 1) / manifest.entries.length)
  }
  return { damage }
}

/** The manifest, or what is wrong with it. */
export async function readManifest(directory: string, sha256: string): Promise<BackupManifest | string> {
  const bytes = await readFile(join(directory, manifestName)).catch(absent)
  if (!bytes) return `${manifestName} is missing.`
  return sha256Of(bytes) === sha256 ? (JSON.parse(bytes.toString()) as BackupManifest) : `${manifestName} has changed.`
}

export async function faultsOf(
  directory: string,
  { name, bytes, sha256 }: ManifestEntry,
  signal?: AbortSignal,
): Promise<string[]> {
  const hash = createHash('sha256')
  let count = 0
  try {
    for await (const chunk of createReadStream(join(directory, name), { ...(signal && { signal }) })) {
      hash.update(chunk as Buffer)
      count += (chunk as Buffer).length
    }
  } catch (error) {
    signal?.throwIfAborted()
    absent(error)
    return [`${name} is missing.`]
  }
  if (count !== bytes) return [`${name} has ${count} bytes, not ${bytes}.`]
  return hash.digest('hex') === sha256 ? [] : [`${name} has changed.`]
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
