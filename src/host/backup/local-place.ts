import { mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError } from '../contract/error.ts'

const writableByOthers = 0o022n

/** Refuses a directory where others could read or replace backups. */
export async function validateDirectory(path: string, homes: string): Promise<void> {
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw refused('the directory does not exist on the host')
    throw error
  })
  if (real !== path) throw refused(`must not lead through a link: it is ${real}`)
  const { uid, mode } = await stat(path, { bigint: true })
  if ((mode & 0o170000n) !== 0o040000n) throw refused('is not a directory')
  if (Number(uid) !== process.getuid?.()) throw refused('must belong to the user of the host agent')
  if ((mode & writableByOthers) !== 0n) throw refused('must not be writable by others')
  const above = await realpath(homes).catch(() => homes)
  if (`${path}/`.startsWith(`${above}/`)) throw refused('must not be below the homes of accounts')
}

const refused = (message: string): FileError => new FileError('validation', `path: ${message}`, 'path')

/** Writes a test file there and removes it. */
export async function probeDirectory(path: string): Promise<void> {
  const probe = await mkdtemp(join(path, '.panel-test-'))
  await rm(probe, { recursive: true })
}
