import type { Migration } from '../../store/migrate.ts'
import { sql as requestIds } from './0005-request-ids.ts'
import { sql as retention } from './0006-retention.ts'
import { sql as jobSteps } from './0030-job-steps.ts'
import { sql as stepTimes } from './0036-step-times.ts'
import { sql as urgentJobs } from './0045-urgent-jobs.ts'
import { sql as agentChanges } from './0065-agent-changes.ts'

export const migrations: readonly Migration[] = [
  { name: '0005-request-ids', sql: requestIds },
  { name: '0006-retention', sql: retention },
  { name: '0030-job-steps', sql: jobSteps },
  { name: '0036-step-times', sql: stepTimes },
  { name: '0045-urgent-jobs', sql: urgentJobs },
  { name: '0065-agent-changes', sql: agentChanges },
]
