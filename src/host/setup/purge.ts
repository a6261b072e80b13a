import { existsSync, readdirSync, rmSync } from 'node:fs'
import { someoneListens } from '../driver/listening.ts'
import { SetupError } from './error.ts'

export const backupsFolder = '/var/lib/panel-host/backups'

/** Deletes all accounts' backups once no agent keeps them. Returns the accounts' ids. */
export async function purgeBackups(agree: (count: number) => Promise<boolean>, root = ''): Promise<string[]> {
  const folder = root + backupsFolder
  if (await someoneListens(`${root}/run/panel/host.sock`))
    throw new SetupError("The host's agent is running: it keeps the backups.", 'systemctl stop panel panel-host')
  const accounts = existsSync(folder) ? readdirSync(folder) : []
  if (accounts.length === 0) return []
  if (!(await agree(accounts.length))) throw new SetupError('Nothing was removed.')
  rmSync(folder, { recursive: true })
  return accounts
}
