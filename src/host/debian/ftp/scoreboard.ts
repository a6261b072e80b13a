import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FtpSession } from '../../contract/commands/services.ts'
import type { Run } from '../commands.ts'
import { scoreboard } from './places.ts'
import { type Title, titleOf } from './title.ts'

/** A logged-in session in ProFTPD's scoreboard. */
export interface ScoreboardEntry {
  readonly pid: number
  /** The login, possibly truncated. */
  readonly user: string
  readonly protocol?: string
  readonly remote_address?: string
  readonly connected_since_ms?: number
}

/** The maximum length of a login in the scoreboard. */
const room = 31

export async function entries(run: Run, root = '/'): Promise<readonly ScoreboardEntry[]> {
  if (!existsSync(join(root, scoreboard))) return []
  const output = await run('/usr/bin/ftpwho', ['-f', join(root, scoreboard), '-o', 'json'])
  const found = /^\{[\s\S]*\}/m.exec(output)?.[0]
  const all =
    found === undefined ? [] : ((JSON.parse(found) as { connections?: Partial<ScoreboardEntry>[] }).connections ?? [])
  return all.filter((one): one is ScoreboardEntry => one.user !== undefined && (one.pid ?? 0) > 1)
}

/** A killed session stays listed for a while, and its pid may have been reused. */
export function isOf(login: string, { pid, user }: ScoreboardEntry, title: Title = titleOf): boolean {
  const process = title(pid)
  if (process === undefined || login.slice(0, room) !== user) return false
  return process.login === undefined || process.login === login
}

/** The session of an entry, unless it has ended. */
export function sessionOf(entry: ScoreboardEntry, title: Title = titleOf): FtpSession | undefined {
  const { pid, user, protocol, remote_address = '', connected_since_ms = 0 } = entry
  const process = title(pid)
  const login = process?.login ?? user
  if (process === undefined || login.slice(0, room) !== user) return undefined
  return {
    login,
    address: remote_address.replace(/^::ffff:(?=[\d.]+$)/i, ''),
    protocol: protocol === 'ftp' || protocol === 'ftps' ? protocol : 'sftp',
    since: connected_since_ms,
  }
}
