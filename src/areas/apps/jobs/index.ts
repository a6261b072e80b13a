import type { JobKind } from '../../../runtime/jobs/job-kind.ts'
import { changeJobs } from './change.ts'
import { deployJobs } from './deploy.ts'
import type { AppJobHost } from './host.ts'

export const appJobs = (reach: AppJobHost): JobKind[] => [...changeJobs(reach), ...deployJobs(reach)]
