import type { QueueChange } from '../../host/contract/driver.ts'
import { within } from '../../host/nodes/fleet/deadline.ts'
import type { LinkedHost } from '../../host/nodes/fleet/fleet.ts'
import type { RunningJob } from '../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'
import { minute } from '../../shared/time.ts'

/** For the messages of one node, which can be thousands. */
const NODE_TIMEOUT_MS = minute

/** A node that fails or is slow keeps no other from its change. */
export async function changeMailQueueOn(
  { clock }: Runtime,
  job: RunningJob,
  [node, host]: LinkedHost,
  request: QueueChange,
) {
  const { signal } = job
  if (node === localNode) return host.changeMailQueue(request, { signal })
  const after = (ms: number, act: () => void) => clock.after(ms, act)
  try {
    return await within({ node, ms: NODE_TIMEOUT_MS, after, signal }, (ending) =>
      host.changeMailQueue(request, { signal: ending }),
    )
  } catch (error) {
    signal.throwIfAborted()
    job.log(`It is not known what was changed on ${node}: ${(error as Error).message}`, 'warn')
    return undefined
  }
}
