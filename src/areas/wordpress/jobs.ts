import type { HostClient } from '../../host/contract/client.ts'
import { FileError } from '../../host/contract/driver.ts'
import { JobError, type JobKind, type RunningJob } from '../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { counted } from '../../shared/counted.ts'
import { servedDomains } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { changeJob } from './change.ts'
import { deleteJob } from './delete.ts'
import { installJob } from './install/job.ts'
import { scanDomain } from './scan.ts'
import { undoJob, updateJob } from './update/job.ts'

export const wordpressJobs = (runtime: Runtime, host: HostClient): JobKind[] => [
  {
    kind: 'wordpress.scan',
    cancellable: true,
    async run(job) {
      const sites = servedDomains(runtime.store.db, job.row.account_id!).filter(({ kind }) => kind !== 'parked')
      for (const [at, domain] of sites.entries()) {
        job.signal.throwIfAborted()
        await scanFor(runtime, host, job, domain)
        job.progress(Math.floor((100 * (at + 1)) / sites.length))
      }
      return undefined
    },
  },
  deleteJob(runtime, host),
  changeJob(runtime, host),
  installJob({ runtime, client: host }),
  updateJob({ runtime, client: host }),
  undoJob({ runtime, client: host }),
]

async function scanFor(runtime: Runtime, host: HostClient, job: RunningJob, domain: DomainRow): Promise<void> {
  try {
    const counts = await scanDomain(runtime, host, domain, job.signal)
    if (!counts) return
    const { sites, unhealthy, missing } = counts
    const notes = [...(unhealthy ? [`${unhealthy} unhealthy`] : []), ...(missing ? [`${missing} missing`] : [])]
    job.log(`${domain.name}: ${[counted(sites, 'WordPress site'), ...notes].join(', ')}`)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new JobError(`${domain.name}: ${error.message}`, error.reason !== 'overloaded')
  }
}
