import type { Area } from '../../runtime/area.ts'
import { rememberHost } from './host.ts'
import { hostOperations } from './operations.ts'
import { listHostTrash, tendTrash, trashJob, usualTrashDays } from './trash.ts'
import { verifyJob } from './verify.ts'

export const host = {
  name: 'host',
  handlers: { ...hostOperations, listHostTrash },
  settings: { trash_days: usualTrashDays },
  jobs: (runtime, { host: client }) => [verifyJob({ runtime, client }), trashJob(runtime, client)],
  start: (runtime, outside) => {
    rememberHost(runtime, outside.host)
    return tendTrash(runtime, outside.host)
  },
} satisfies Area
