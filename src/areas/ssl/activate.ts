import type { KeyObject } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto, update } from '../../store/rows.ts'
import type { DomainRow } from '../domains/tables.ts'
import { type Certificate, keyTypeOf, pemOfCertificate } from './certificate.ts'
import { isTrusted } from './chain.ts'
import { purposes, sealKey } from './sealed.ts'
import { usedBy } from './store.ts'
import { type CertificateRow, certificates } from './tables.ts'

/** A certificate with its chain and key. */
export interface Issued {
  readonly kind: CertificateRow['kind']
  readonly chain: readonly [Certificate, ...Certificate[]]
  readonly key: KeyObject
}

const insert = insertInto(certificates)
const write = update(certificates, 'id = ?')
const writeUsed = update(certificates, 'id = ? AND used = 1')

const queries = prepared((db: Db) => ({
  dropFormer: db
    .delete(certificates)
    .where(and(eq(certificates.domain_id, sql.placeholder('domain')), sql`${certificates.used} = 0`))
    .prepare(),
}))

type DomainKey = Pick<DomainRow, 'id' | 'account_id'>

/** Puts it into use, inside a change; the previous one stays until the host has this one. */
export function use(runtime: Runtime, domain: DomainKey, issued: Issued): CertificateRow {
  const { db, sqlite } = runtime.store
  const former = usedBy(db, domain)
  if (former?.applied) {
    dropFormer(db, domain.id)
    write(sqlite, { used: false }, former.id)
  } else if (former) remove(db, former.id)
  const row = rowOf(runtime, domain, issued)
  insert(sqlite, row)
  return row
}

/** The host has it: deletes the previous one. */
export function settle({ store }: Pick<Runtime, 'store'>, { id, domain_id }: CertificateRow): void {
  if (writeUsed(store.sqlite, { applied: true }, id) > 0) dropFormer(store.db, domain_id)
}

/** The host failed to apply it: puts the previous one back into use. */
export function giveUp(db: Db, id: string): void {
  const [failed] = db
    .delete(certificates)
    .where(and(eq(certificates.id, id), eq(certificates.applied, false)))
    .returning()
    .all()
  if (!failed?.used) return
  db.update(certificates).set({ used: true }).where(eq(certificates.domain_id, failed.domain_id)).run()
}

const remove = (db: Db, id: string): void => void db.delete(certificates).where(eq(certificates.id, id)).run()

const dropFormer = (db: Db, domain: string): void => void queries(db).dropFormer.run({ domain })

function rowOf(runtime: Runtime, domain: DomainKey, { kind, chain, key }: Issued): CertificateRow {
  const [leaf, ...above] = chain
  const { node, names, subject, issuer, serialNumber, notBefore, notAfter } = leaf
  const now = runtime.clock.now()
  return {
    id: runtime.id(),
    account_id: domain.account_id,
    domain_id: domain.id,
    kind,
    domains: [...names],
    subject,
    issuer,
    serial_number: serialNumber,
    key_type: keyTypeOf(node.publicKey)!,
    not_before: notBefore,
    not_after: notAfter,
    fingerprint_sha256: node.fingerprint256.replaceAll(':', '').toLowerCase(),
    trusted: kind !== 'self_signed' && isTrusted(chain, now),
    certificate: pemOfCertificate(leaf),
    ca_bundle: above.map(pemOfCertificate).join(''),
    private_key: sealKey(runtime, purposes.certificate, key),
    used: true,
    applied: false,
    notified_days: null,
    expiring_since: null,
    created_at: now,
  }
}
