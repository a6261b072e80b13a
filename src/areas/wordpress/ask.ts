import type { HostClient } from '../../host/contract/client.ts'
import { HostError, type TaskAnswer, type TaskInput, type WordpressTask } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'
import { effectivePhp } from '../domains/php.ts'
import { domainById } from '../domains/store.ts'
import { placeOf } from './place.ts'
import type { WordpressRow } from './tables.ts'
import { toSite } from './view.ts'

export interface SiteTask<Task extends WordpressTask> {
  readonly task: Task
  readonly input: TaskInput<Task>
  readonly timeoutS: number
  readonly signal: AbortSignal
  /** The directory of WordPress, from the home, if it is not in its place yet. */
  readonly core?: string
}

/** Has a site's own WordPress carry out a task. The answer is the tenant's text. */
export async function askSite<Task extends WordpressTask>(
  runtime: Runtime,
  host: HostClient,
  site: WordpressRow,
  { task, input, timeoutS, signal, core }: SiteTask<Task>,
): Promise<TaskAnswer<Task>> {
  const { db } = runtime.store
  const domain = domainById(db, site.domain_id)!
  const php = effectivePhp(db, domain)
  if (php === undefined) throw new HostError('stage', 'The node has not reported yet which versions of PHP it has.')
  const request = {
    account: hostNameOf(accountById(db, site.account_id)!),
    php,
    core: Buffer.from(core ?? placeOf(domain.document_root!, site.core_path)).toString('base64'),
    url: toSite({ db, runtime }, site).url,
    ...{ task, input, timeoutS },
  }
  return (await host.runWordpress(request, { signal })).answer as TaskAnswer<Task>
}
