import type * as declared from '../../contract/wordpress-content.ts'
import type { TaskAnswer } from '../../host/contract/driver.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import type { SiteTask } from './ask.ts'
import { askNow, type OfSite } from './ask-now.ts'

type ListTask = 'plugins' | 'themes' | 'users'

/** What a list has of an item: the tenant's code may have added to it. */
type Item<Task extends ListTask> = TaskAnswer<Task>['items'][number]

interface ListRequest<Task extends ListTask, Row> {
  readonly task: Task
  readonly toRow: (item: Item<Task>) => Row
  readonly signal: AbortSignal
}

async function listFrom<Task extends ListTask, Row>(ctx: OfSite, { task, toRow, signal }: ListRequest<Task, Row>) {
  const request = { task, input: {}, signal } as Pick<SiteTask<Task>, 'task' | 'input' | 'signal'>
  return { items: (await askNow(ctx, request)).items.map(toRow) }
}

const toExtension = ({ slug, name, version, update, active }: Item<'plugins'>) => ({
  slug,
  ...(name !== undefined && { name }),
  ...(version !== undefined && { version }),
  ...(update !== undefined && { update }),
  active,
})

const toUser = ({ id, username, name, email, roles, administrator }: Item<'users'>) => ({
  id,
  username,
  name,
  email,
  roles: [...roles],
  administrator,
})

const listWordpressPlugins: HostHandler<typeof declared.listWordpressPlugins> = {
  act: (ctx, _input, signal) => listFrom(ctx, { task: 'plugins', toRow: toExtension, signal }),
}

const listWordpressThemes: HostHandler<typeof declared.listWordpressThemes> = {
  act: (ctx, _input, signal) => listFrom(ctx, { task: 'themes', toRow: toExtension, signal }),
}

const listWordpressUsers: HostHandler<typeof declared.listWordpressUsers> = {
  act: (ctx, _input, signal) => listFrom(ctx, { task: 'users', toRow: toUser, signal }),
}

export const contentOperations = { listWordpressPlugins, listWordpressThemes, listWordpressUsers }
