import { eq } from 'drizzle-orm'
import { JobError, type JobKind } from '../../runtime/jobs/job-kind.ts'
import { localNode } from '../../shared/node-name.ts'
import type { Host } from '../accounts/jobs/apply.ts'
import { hostOf } from '../host/host.ts'
import { currentRules, pendingIn, rulesWith } from './store.ts'
import { firewallRules } from './tables.ts'

/** Puts a change on trial. It is undone by the machine itself. */
export const firewallJob = ({ runtime }: Pick<Host, 'runtime'>): JobKind => ({
  kind: 'host.firewall',
  maxAttempts: 1,
  exists: () => true,
  async run(job) {
    const rows = currentRules(runtime.store.db, runtime.clock.now())
    const row = pendingIn(rows)
    const trialS = Math.floor(((row?.revert_at ?? 0) - runtime.clock.now()) / 1000)
    if (!row || row.change_id !== job.row.payload['change'] || trialS < 1)
      throw new JobError('The time to confirm the change was over before it could be made.', true)
    const change = { id: row.change_id!, rules: rulesWith(rows), trialS }
    await hostOf(runtime, localNode).changeFirewall(change, { signal: job.signal })
    job.log(`undone at ${new Date(row.revert_at!).toISOString()} unless it is confirmed`)
    return ({ db }) =>
      db.update(firewallRules).set({ applied: true }).where(eq(firewallRules.change_id, change.id)).run()
  },
  /** Nothing waits on the host: the next change may begin. */
  failed({ db, now }, { payload }) {
    db.update(firewallRules).set({ revert_at: now }).where(eq(firewallRules.change_id, payload['change']!)).run()
  },
})
