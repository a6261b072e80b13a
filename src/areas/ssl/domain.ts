import { eq } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import type { DomainPart } from '../domains/part.ts'
import type { DomainRow } from '../domains/tables.ts'
import { takeBack } from './acme/challenges.ts'
import { autosslOf } from './autossl.ts'
import { covers } from './certificate.ts'
import { statusOf } from './status.ts'
import { provesNames, usedBy } from './store.ts'
import { type CertificateRow, certificates } from './tables.ts'

/** Emits an event unless the certificate is self-signed; its rows are deleted with the domain's. */
function emitUninstalled(ctx: Context, { account_id }: DomainRow, { id, kind, domains }: CertificateRow): void {
  const account = accountById(ctx.db, account_id)
  if (kind === 'self_signed' || !account) return
  ctx.emit({ type: 'ssl.uninstalled', account: nameOf(account), object_id: id, details: { domains } })
}

/** Removes certificates that no longer fit; the account's next job makes new ones. */
function removeUnfit(ctx: Context, _before: DomainRow, after: DomainRow): void {
  const used = usedBy(ctx.db, after)
  if (!used || covers(used.domains, after.name)) return
  ctx.db.delete(certificates).where(eq(certificates.domain_id, after.id)).run()
  emitUninstalled(ctx, after, used)
}

export const ofDomain: DomainPart = {
  certificate: (db, domain) => usedBy(db, domain)?.kind,
  proves(db, domain, name) {
    const used = usedBy(db, domain)
    return used !== undefined && provesNames(used) && covers(used.domains, name)
  },
  view(db, domain, now) {
    const used = usedBy(db, domain)
    const autossl = autosslOf(db, domain)
    if (!used) return { autossl }
    const { id, kind, not_after } = used
    return { autossl, certificate: { id, kind, not_after, status: statusOf(used, now), trusted: used.trusted } }
  },
  changed: removeUnfit,
  deleted(ctx, domain) {
    takeBack(ctx.runtime, domain.id)
    const used = usedBy(ctx.db, domain)
    if (used) emitUninstalled(ctx, domain, used)
  },
}
