import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newKeyLine } from '../../../shared/keys.ts'
import { bad, type Check, ok, size, warn } from './check.ts'

const MB = 1_000_000
const least = { space: 100 * MB, inodes: 1000 }
const ample = { space: 1000 * MB, inodes: 20_000 }
const longLog = 64 * MB

/** Checks the local server's data directory: permissions, files, and free space. */
export function directoryChecks(dataDir: string): Check[] {
  if (!existsSync(dataDir))
    return [
      bad(
        'directory',
        `There is no data directory ${dataDir}.`,
        existsSync('.panel/panel.db')
          ? 'of the one in ./.panel: npm start, or panel doctor --data-dir .panel'
          : 'panel serve makes it; --data-dir names another',
      ),
    ]
  const entered = entry(dataDir)
  if (entered.status === 'bad') return [entered]
  return [entered, ...keys(dataDir), space(dataDir), ...inodes(dataDir), ...log(dataDir)]
}

const isRoot = (): boolean => process.getuid?.() === 0

function entry(dataDir: string): Check {
  const { uid, mode } = statSync(dataDir)
  if (!isRoot() && uid !== process.getuid?.())
    return bad('directory', `${dataDir} belongs to another user (uid ${uid}).`, 'sudo panel doctor')
  if (mode & 0o077)
    return bad('directory', `${dataDir} is accessible to other users (mode ${octal(mode)}).`, `chmod 700 ${dataDir}`)
  return ok('directory', `Only uid ${uid} can access ${dataDir}.`)
}

const octal = (mode: number): string => (mode & 0o777).toString(8)

/** Empty if no server has ever started. */
function keys(dataDir: string): Check[] {
  if (!existsSync(join(dataDir, 'panel.db'))) return []
  const [key, tls] = [join(dataDir, 'secret.key'), join(dataDir, 'tls/key.pem')]
  if (!existsSync(key)) return [bad('keys', `${key} is missing: what it encrypted cannot be read.`, restoreKey(key))]
  if (statSync(key).size !== 32)
    return [bad('keys', `${key} is not a panel key: it must hold 32 bytes.`, 'put it back from your backup')]
  const open = [key, tls].filter((file) => existsSync(file) && statSync(file).mode & 0o077)
  if (open.length > 0)
    return [bad('keys', `${open.join(' and ')} can be read by other users.`, `chmod 600 ${open.join(' ')}`)]
  return [ok('keys', 'Only their owner can read the keys.')]
}

const restoreKey = (key: string): string =>
  `put it back from your backup, or give up what it encrypted: ${newKeyLine(key)}`

function space(dataDir: string): Check {
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const text = `${size(free)} are free for ${dataDir}`
  if (free < least.space) return bad('disk', `Only ${text}.`, `du -xh --max-depth=2 ${dataDir} | sort -h | tail`)
  if (free < ample.space) return warn('disk', `Only ${text}.`, `du -xh --max-depth=2 ${dataDir} | sort -h | tail`)
  return ok('disk', `${text}.`)
}

/** Some file systems have no inode counts. */
function inodes(dataDir: string): Check[] {
  const { files, ffree } = statfsSync(dataDir)
  if (files === 0) return []
  const next = `du -x --inodes --max-depth=2 ${dataDir} | sort -n | tail`
  if (ffree < least.inodes) return [bad('inodes', `Only ${ffree} inodes are free.`, next)]
  if (ffree < ample.inodes) return [warn('inodes', `Only ${ffree} inodes are free.`, next)]
  return [ok('inodes', `${ffree} inodes are free.`)]
}

function log(dataDir: string): Check[] {
  const file = join(dataDir, 'panel.db-wal')
  if (!existsSync(file)) return []
  const bytes = statSync(file).size
  if (bytes <= longLog) return [ok('log', `The write-ahead log of the store takes ${size(bytes)}.`)]
  const message = `The write-ahead log of the store takes ${size(bytes)}: a long-running reader keeps it from shrinking.`
  return [warn('log', message, `fuser -v ${join(dataDir, 'panel.db')}`)]
}
