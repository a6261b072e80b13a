import { Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/wordpress-content.ts'
import { HostError, type TaskAnswer } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { fullAccount } from '../accounts/store.ts'
import { hostOf } from '../host/host.ts'
import { askSite, type SiteTask } from './ask.ts'
import { refuseToRun } from './busy.ts'
import type { WordpressRow } from './tables.ts'

/** Before the panel gives up, so that the answer says why. */
const TIMEOUT_S = 25

type OfSite = Context & {
  readonly found: { readonly account: { readonly id: string }; readonly wordpress: WordpressRow }
}

type ListTask = 'plugins' | 'themes' | 'users'

/** What a list has of an item: the tenant's code may have added to it. */
type Item<Task extends ListTask> = TaskAnswer<Task>['items'][number]

async function listFrom<Task extends ListTask, Row>(
  ctx: OfSite,
  {
    task,
    toRow,
    signal,
  }: { readonly task: Task; readonly toRow: (item: Item<Task>) => Row; readonly signal: AbortSignal },
): Promise<{ items: Row[] }> {
  refuseToRun(fullAccount(ctx), ctx.found.wordpress)
  const request = { task, input: {}, timeoutS: TIMEOUT_S, signal } as SiteTask<Task>
  const { items } = await withProblems(() => askSite(ctx.runtime, hostOf(ctx.runtime), ctx.found.wordpress, request))
  return { items: items.map(toRow) }
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

/** What the site's own code fails with is for its owner to read. */
async function withProblems<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof HostError) throw new Problem('overloaded', error.message)
    throw error
  }
}

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
