import { JobError, type JobKind, type RunningJob } from '../../runtime/jobs/job-kind.ts'
import { type Host, serverOf, watching } from '../accounts/jobs/apply.ts'
import { stateOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'

/** Checks that the host's services answer correctly for an account: one log line each. */
export const verifyJob = (host: Host): JobKind => ({
  kind: 'host.verify',
  maxAttempts: 1,
  cancellable: true,
  run: (job) => verify(host, job),
})

async function verify(host: Host, job: RunningJob): Promise<undefined> {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  const state = stateOf(host.runtime, account)
  const results = await host.client.verify({ server: serverOf(host, account.owner_id), account: state }, watching(job))
  for (const { probe, ok, message } of results)
    job.log(`${probe}: ${ok ? 'ok' : 'failed'}, ${message}`, ok ? 'info' : 'error')
  const failed = results.filter(({ ok }) => !ok).length
  if (failed > 0) throw new JobError(`${failed} of ${results.length} probes failed; the log names them.`, true)
  job.log(results.length > 0 ? `${results.length} probes succeeded` : 'this host has no services to ask')
}
