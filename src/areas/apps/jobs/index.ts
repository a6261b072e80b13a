import type { JobKind } from '../../../runtime/jobs/job-kind.ts'
import { changeJobs } from './change.ts'
import { deployJobs } from './deploy.ts'
import type { Reach } from './host.ts'

export const appJobs = (reach: Reach): JobKind[] => [...changeJobs(reach), ...deployJobs(reach)]
