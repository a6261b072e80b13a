import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type TaskRequest, wordpressTasks } from '../contract/commands/wordpress.ts'
import { accepts } from '../contract/fields.ts'
import { joined, partsOf } from '../homes/home/path.ts'
import { homeOf } from '../homes/home-paths.ts'
import type { TenantCommands } from '../tenant/tenants.ts'
import { answerIn, notUnderstood } from './answer.ts'
import { taskScript } from './script.ts'

export interface TaskHost {
  readonly root: string
  readonly commands: TenantCommands
  /** What tenants' programs find defined here. */
  readonly constants: Readonly<Record<string, string | boolean>>
}

/** Has a site's own WordPress carry out a task, and takes its answer. */
export async function runTask(host: TaskHost, request: TaskRequest, signal?: AbortSignal): Promise<object> {
  const { account, php, task, url, input, timeoutS } = request
  const mark = randomBytes(24).toString('hex')
  const core = join(host.root, homeOf(account.username), joined(partsOf(request.core)).toString())
  const script = taskScript({ task, mark, core, url, input, constants: host.constants })
  const answer = answerIn(await host.commands.runPhp({ account, php, script, timeoutS }, signal), mark)
  if (!accepts(wordpressTasks[task].answer, answer)) throw notUnderstood()
  return answer
}
