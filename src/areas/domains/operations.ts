import { and, eq, type SQL } from 'drizzle-orm'
import type * as declared from '../../contract/domains.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { listAllDomains } from './all.ts'
import { createDomain } from './create.ts'
import { deleteDomain } from './delete.ts'
import { previewOperations } from './preview/operations.ts'
import { redirectOperations } from './redirect-operations.ts'
import { domainsOf, toDomain } from './store.ts'
import { domains } from './tables.ts'
import { updateDomain } from './update.ts'
import { claimDomain, setDomainVerified, verifyDomain } from './verification/operations.ts'
import { verifiedIs } from './verification/store.ts'
import { wafOperations } from './waf/operations.ts'

const listDomains: Handler<typeof declared.listDomains> = {
  handle(ctx, { query: { kind, verified, ...query } }) {
    const where: SQL | undefined = and(
      kind && eq(domains.kind, kind),
      verified === undefined ? undefined : verifiedIs(verified),
    )
    const { items, total } = domainsOf.page(ctx, ctx.found.account.id, query, where)
    return { items: items.map((row) => toDomain(ctx, row)), total }
  },
}

const getDomain: Handler<typeof declared.getDomain> = {
  handle: (ctx) => toDomain(ctx, ctx.found.domain),
}

export const domainOperations = {
  verifyDomain,
  setDomainVerified,
  claimDomain,
  listDomains,
  listAllDomains,
  createDomain,
  getDomain,
  updateDomain,
  deleteDomain,
  ...redirectOperations,
  ...previewOperations,
  ...wafOperations,
}
