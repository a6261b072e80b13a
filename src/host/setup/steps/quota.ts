import { homeFileSystem, quotaKind } from '../../debian/inspect/limits.ts'
import type { Step } from '../step.ts'

const isBtrfs = (): boolean => homeFileSystem() === 'btrfs'

/** What sets the quotas of homes. That of ext4 and xfs binds where the file system is mounted with it. */
export const quota: Step = {
  name: 'quota',
  packages: () => [isBtrfs() ? 'btrfs-progs' : 'quota'],
  prepare: async (run) => {
    if (!isBtrfs() || quotaKind() === 'btrfs') return false
    await run('/usr/bin/btrfs', ['quota', 'enable', '/home'])
    return true
  },
}
