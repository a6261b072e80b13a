import { eq, type SQL } from 'drizzle-orm'
import type * as declared from '../../contract/domains.ts'
import type { Handler } from '../../runtime/run.ts'
import { listAllDomains } from './all.ts'
import { createDomain } from './create.ts'
import { deleteDomain } from './delete.ts'
import { redirectOperations } from './redirect-operations.ts'
import { domainsOf, toDomain } from './store.ts'
import { domains } from './tables.ts'
import { updateDomain } from './update.ts'

const listDomains: Handler<typeof declared.listDomains> = {
  handle(ctx, { query: { kind, ...query } }) {
    const where: SQL | undefined = kind && eq(domains.kind, kind)
    const { items, total } = domainsOf.page(ctx, ctx.found.account.id, query, where)
    return { items: items.map((row) => toDomain(ctx, row)), total }
  },
}

const getDomain: Handler<typeof declared.getDomain> = {
  handle: (ctx) => toDomain(ctx, ctx.found.domain),
}

export const domainOperations = {
  listDomains,
  listAllDomains,
  createDomain,
  getDomain,
  updateDomain,
  deleteDomain,
  ...redirectOperations,
}
