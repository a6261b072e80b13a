import { homeFileSystem, quotaKind } from '../../debian/inspect/limits.ts'
import type { SetupStep } from '../step.ts'

const isBtrfs = (): boolean => homeFileSystem() === 'btrfs'

/** Sets the homes' quotas. On ext4 and xfs they are enforced only if mounted with quota options. */
export const quota: SetupStep = {
  name: 'quota',
  packages: () => [isBtrfs() ? 'btrfs-progs' : 'quota'],
  prepare: async (run) => {
    if (!isBtrfs() || quotaKind() === 'btrfs') return false
    await run('/usr/bin/btrfs', ['quota', 'enable', '/home'])
    return true
  },
}
