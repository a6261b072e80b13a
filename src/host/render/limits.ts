import type { AccountState } from '../driver.ts'
import { type DirSpec, type Rendered, systemDir, systemFile } from './spec.ts'

const shown = (limit: number | undefined) => (limit === undefined ? 'unlimited' : String(limit))

/** The account's limits, for quotas and for the mail policy service to read. */
export function renderLimits({ username, limits }: AccountState): Rendered {
  const lines = [
    `disk_mb=${shown(limits.diskMb)}`,
    `inodes=${shown(limits.inodes)}`,
    `bandwidth_mb=${shown(limits.bandwidthMb)}`,
    `php_children=${shown(limits.phpChildren)}`,
    `emails_per_hour=${shown(limits.emailsPerHour)}`,
  ]
  return { dirs: [], files: [systemFile(`etc/panel/limits.d/${username}`, 0o644, lines)] }
}

export const limitsDirs: readonly DirSpec[] = [systemDir('etc/panel/limits.d', 0o755)]
