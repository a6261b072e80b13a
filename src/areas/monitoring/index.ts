import type { Area } from '../../runtime/areas/area.ts'
import { migrations } from './migrations.ts'
import { machineNotices } from './notices.ts'
import { readOnlyNotices } from './read-only.ts'
import { sourceChanged, watchReleases } from './updates.ts'
import { watchMachines } from './watch.ts'

/** Notices about machines, accounts that a full disk keeps from writing, and newer releases of panel. */
export const monitoring = {
  name: 'monitoring',
  handlers: {},
  settings: { update_source: null },
  settingsChanged: sourceChanged,
  ofAccount: { notices: (ctx, scope) => [...machineNotices(ctx, scope), ...readOnlyNotices(ctx, scope)] },
  stored: { migrations },
  start(runtime, { fleet, outgoing }) {
    const [machines, releases] = [watchMachines(runtime, fleet), watchReleases(runtime, outgoing)]
    return { stop: async () => void (await Promise.all([machines.stop(), releases.stop()])) }
  },
} satisfies Area
