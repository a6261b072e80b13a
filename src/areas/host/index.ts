import type { Area } from '../../runtime/areas/area.ts'
import { nameSettings } from '../../runtime/settings/server-names.ts'
import { rememberHost } from './host.ts'
import { applyJob, sweepServer } from './names/apply.ts'
import { forgetFormer } from './names/former.ts'
import { issueJob } from './names/issue.ts'
import { rememberOwn } from './names/own.ts'
import { namesChanged } from './names/settings.ts'
import { renewNames } from './names/upkeep.ts'
import { hostOperations } from './operations.ts'
import { listNodeOrphans } from './orphans.ts'
import { DEFAULT_TRASH_DAYS, listHostTrash, pruneTrash, trashJob } from './trash.ts'
import { verifyJob } from './verify.ts'

export const host = {
  name: 'host',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: { ...hostOperations, listHostTrash, listNodeOrphans },
  settings: { trash_days: DEFAULT_TRASH_DAYS, ...nameSettings },
  settingsChanged: namesChanged,
  jobs(runtime, outside) {
    const { host: client } = outside
    rememberOwn(runtime, outside)
    return [verifyJob({ runtime, client }), trashJob(runtime, client), applyJob(runtime), issueJob(runtime)]
  },
  lanes: { server: 1 },
  ofSweep: sweepServer,
  nodeChanged: forgetFormer,
  async start(runtime, outside) {
    const { host: client } = outside
    rememberHost(runtime, outside)
    const [trash, names] = [pruneTrash(runtime, client), await renewNames(runtime)]
    return { stop: async () => void (await Promise.all([trash.stop(), names.stop()])) }
  },
} satisfies Area
