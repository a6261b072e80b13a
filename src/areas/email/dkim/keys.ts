import type { Context } from '../../../runtime/operations/context.ts'
import type { RsaKey } from '../../../runtime/security/rsa-keys.ts'
import type { DomainRow } from '../../domains/tables.ts'
import type { EmailKeyRow } from '../tables.ts'
import { addKey, keysOfDomain, purpose } from './store.ts'

type KeyContext = Pick<Context, 'store' | 'db' | 'runtime' | 'now' | 'id'>

/** Stores a new key of a domain, with the next selector. */
export function keepKey(ctx: KeyContext, { id: domain_id, account_id }: DomainRow, key: RsaKey): EmailKeyRow {
  const row: EmailKeyRow = {
    id: ctx.id(),
    account_id,
    domain_id,
    number: (keysOfDomain(ctx.db, domain_id).at(-1)?.number ?? 0) + 1,
    private_key: ctx.runtime.seal(purpose, key.privatePem),
    public_key: key.publicKey,
    retired_at: null,
    created_at: ctx.now,
  }
  addKey(ctx, row)
  return row
}
