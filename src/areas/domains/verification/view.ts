import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { Domain } from '../../../contract/domains.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Db } from '../../../store/open.ts'
import { type DomainRow, domains } from '../tables.ts'
import { challengeRecord } from './challenge.ts'
import { verificationOf } from './store.ts'

type VerificationView = Pick<z.infer<typeof Domain>, 'verified' | 'verified_by' | 'verified_at' | 'verification'>

const unlooked = { ns: [], mx: [], addresses: [] }

/** What a domain's resource says about its verification. */
export function verificationView(db: Db, domain: DomainRow): VerificationView {
  const row = verificationOf(db, domain)
  const by = row?.verified_by ?? undefined
  if (by) return { verified: true, verified_by: domain.kind === 'sub' ? 'parent' : by, verified_at: row!.verified_at! }
  return {
    verified: false,
    verification: {
      record: challengeRecord(db, domain.account_id, subjectName(db, domain)),
      reason: row?.reason ?? `${domain.name} has not been looked at yet.`,
      found: copied(row?.found ?? unlooked),
      ...present({ checked_at: row?.checked_at ?? null, next_check_at: row?.next_check_at ?? null }),
    },
  }
}

const copied = ({
  ns,
  mx,
  addresses,
}: {
  ns: readonly string[]
  mx: readonly string[]
  addresses: readonly string[]
}) => ({
  ns: [...ns],
  mx: [...mx],
  addresses: [...addresses],
})

/** The name that is verified: of a subdomain that of the domain above. */
const subjectName = (db: Db, { kind, name, parent_id }: DomainRow): string =>
  kind === 'sub'
    ? (db.select({ name: domains.name }).from(domains).where(eq(domains.id, parent_id!)).get()?.name ?? name)
    : name
