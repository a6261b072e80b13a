import type { Db } from '../../store/open.ts'
import type { BackupPart } from '../accounts/part.ts'
import { redirectsOf } from './redirects.ts'
import { domainById, servedDomains } from './store.ts'
import type { DomainRow } from './tables.ts'

/** By names: ids are another server's, or another account's. */
function savedDomain(db: Db, { id, name, kind, parent_id, ...site }: DomainRow) {
  const { document_root, handler, https_redirect } = site
  const parent = parent_id === null ? undefined : domainById(db, parent_id)?.name
  const redirects = redirectsOf(db, id).map(({ path, match, target, status, keep_path }) => ({
    path,
    match,
    target,
    status,
    keep_path,
  }))
  return { name, kind, ...(parent && { parent }), document_root, handler, https_redirect, redirects }
}

export const backup: BackupPart = {
  part: 'config',
  save: ({ store: { db } }, { id }) => ({
    data: { domains: servedDomains(db, id).map((one) => savedDomain(db, one)) },
  }),
}
