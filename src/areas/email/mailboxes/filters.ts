import { eq } from 'drizzle-orm'
import { MAX_FILTER_FORWARDS, MAX_FOLDER_BYTES } from '../../../contract/email/filters.ts'
import type * as declared from '../../../contract/email.ts'
import { refuseInvalid } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import type { Db } from '../../../store/open.ts'
import { destinationOf } from '../forwarders/destinations.ts'
import { refuseBeingDeleted } from '../objects.ts'
import { bare } from '../routes.ts'
import { type MailFilter, mailFilters } from '../tables.ts'
import { carryChange, currentAddress, type MailboxContext } from './change.ts'
import { mailboxById, toMailbox } from './store.ts'

type Action = MailFilter['then'][number]

/** A mailbox's filters in their order. */
export const filtersOf = (db: Db, mailboxId: string): readonly MailFilter[] =>
  db.select().from(mailFilters).where(eq(mailFilters.mailbox_id, mailboxId)).get()?.filters ?? []

/** Replaces all filters of a mailbox. */
export function saveFilters(db: Db, mailbox_id: string, filters: readonly MailFilter[]): void {
  db.delete(mailFilters).where(eq(mailFilters.mailbox_id, mailbox_id)).run()
  if (filters.length > 0) db.insert(mailFilters).values({ mailbox_id, filters }).run()
}

function actionProblem(ctx: Context, account: string, own: string, action: Action): string | undefined {
  if ('folder' in action && Buffer.byteLength(action.folder) > MAX_FOLDER_BYTES)
    return `the folder must have at most ${MAX_FOLDER_BYTES} bytes`
  if (action.action !== 'forward') return undefined
  const address = destinationOf(ctx, account, action.address)
  if (address === undefined || !address.includes('@')) return 'the address must be one such as bob@shop.example'
  return bare(address) === own ? `must not forward to ${own} itself` : undefined
}

const forwardsOf = (filters: readonly MailFilter[]) =>
  new Set(filters.flatMap((filter) => filter.then.flatMap((one) => (one.action === 'forward' ? [one.address] : []))))

/** What is wrong with the filters, all in one message. */
function filtersProblem(ctx: Context, account: string, own: string, filters: readonly MailFilter[]) {
  const problems = filters.flatMap((filter, n) =>
    filter.then.flatMap((action) => {
      const problem = actionProblem(ctx, account, own, action)
      return problem === undefined ? [] : [`item ${n + 1}: ${problem}`]
    }),
  )
  if (forwardsOf(filters).size > MAX_FILTER_FORWARDS)
    problems.push(`must not forward to more than ${MAX_FILTER_FORWARDS} addresses`)
  return problems.length > 0 ? problems.join('; ') : undefined
}

const getMailFilters: Handler<typeof declared.getMailFilters> = {
  handle: (ctx) => ({ items: [...filtersOf(ctx.db, ctx.found.mailbox.id)] }),
}

const withAddresses = (ctx: Context, account: string, filter: MailFilter): MailFilter => ({
  ...filter,
  then: filter.then.map((one) =>
    one.action === 'forward' ? { ...one, address: destinationOf(ctx, account, one.address)! } : one,
  ),
})

const setMailFilters: Handler<typeof declared.setMailFilters> = {
  handle(ctx: MailboxContext, { body }) {
    const { account, mailbox } = ctx.found
    refuseBeingDeleted(currentAddress(ctx), mailbox)
    refuseInvalid({ items: filtersProblem(ctx, account.id, currentAddress(ctx), body.items) })
    const before = filtersOf(ctx.db, mailbox.id)
    const filters = body.items.map((filter) => withAddresses(ctx, account.id, filter))
    saveFilters(ctx.db, mailbox.id, filters)
    ctx.note({ account, object_id: mailbox.id, before: { filters: before }, after: { filters } })
    return { mailbox: toMailbox(ctx, mailboxById(ctx.db, mailbox.id)!), job_id: carryChange(ctx) }
  },
}

export const filterOperations = { getMailFilters, setMailFilters }
