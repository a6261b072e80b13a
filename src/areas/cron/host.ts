import type { HostParts } from '../../host/contract/driver.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import { cronJobsOf } from './store.ts'

/** The scheduled commands for the host's desired state. Until an imported account is activated, it has none. */
export const cronHost = (
  db: Db,
  { id, importing_since }: Pick<FullAccount, 'id'> & Partial<Pick<FullAccount, 'importing_since'>>,
): HostParts['cron'] => ({
  jobs: cronJobsOf(db, id)
    .filter(({ enabled }) => enabled && !importing_since)
    .map(({ id, schedule }) => ({ id, schedule })),
})
