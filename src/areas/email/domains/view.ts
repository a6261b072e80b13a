import type { z } from 'zod'
import type { EmailDomain } from '../../../contract/email.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { isVerified } from '../../domains/verification/store.ts'
import { countAt } from '../address-counts.ts'
import { currentKey, selectorOf } from '../dkim/store.ts'
import { type EmailDomainRow, forwarders, mailboxes } from '../tables.ts'
import { routingOf } from './routing.ts'

/** A domain with its mail settings. */
export interface Mail {
  readonly domain: DomainRow
  readonly row: EmailDomainRow
}

/** Rows to resource (contract: EmailDomain). */
export function toEmailDomain(
  { db, runtime }: Pick<Context, 'db' | 'runtime'>,
  { domain, row }: Mail,
): z.infer<typeof EmailDomain> {
  const key = row.dkim ? currentKey(db, domain.id) : undefined
  return {
    id: domain.id,
    domain: domain.name,
    is_main: domain.kind === 'main',
    routing: row.routing,
    effective_routing: routingOf(db, domain, row, runtime.hostname),
    verified: isVerified(db, domain),
    catch_all: row.catch_all === null ? { action: 'reject' } : { action: 'forward', destination: row.catch_all },
    dkim_enabled: row.dkim,
    mailbox_count: countAt(db, mailboxes, domain.id),
    forwarder_count: countAt(db, forwarders, domain.id),
    created_at: domain.created_at,
    ...(key ? { dkim_selector: selectorOf(key) } : {}),
  }
}
