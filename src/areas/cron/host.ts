import type { HostParts } from '../../host/contract/driver.ts'
import type { Db } from '../../store/open.ts'
import { cronJobsOf } from './store.ts'

/** The scheduled commands for the host's desired state. */
export const cronHost = (db: Db, { id }: { readonly id: string }): HostParts['cron'] => ({
  jobs: cronJobsOf(db, id)
    .filter(({ enabled }) => enabled)
    .map(({ id, schedule }) => ({ id, schedule })),
})
