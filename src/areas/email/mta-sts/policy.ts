import { eq, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { getMtaSts } from '../../../contract/email.ts'
import type { HostArea } from '../../../host/contract/driver.ts'
import type { Writes } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { insertInto, update } from '../../../store/rows.ts'
import { accountById } from '../../accounts/store.ts'
import { isProven, mailLabelsOf } from '../../domains/mail-names.ts'
import type { MailPolicy } from '../../domains/part.ts'
import { type DomainRow, domains } from '../../domains/tables.ts'
import { exchangersOf } from '../domains/routing.ts'
import { type MtaStsRow, mtaSts } from '../tables.ts'

const queries = prepared((db: Db) => ({
  byId: db
    .select()
    .from(mtaSts)
    .where(eq(mtaSts.domain_id, sql.placeholder('id')))
    .prepare(),
  named: db
    .select()
    .from(domains)
    .where(eq(domains.name, sql.placeholder('name')))
    .prepare(),
}))

export const mtaStsOf = (db: Db, domain: string): MtaStsRow | undefined => queries(db).byId.get({ id: domain })

const insert = insertInto(mtaSts)
const write = update(mtaSts, 'domain_id = ?')

export const addMtaSts = ({ store }: Writes, row: MtaStsRow): void => void insert(store.sqlite, row)
export const setMtaStsRow = ({ store }: Writes, domain: string, values: Partial<MtaStsRow>): void =>
  void write(store.sqlite, values, domain)
export const removeMtaSts = (db: Db, domain: string): void =>
  void db.delete(mtaSts).where(eq(mtaSts.domain_id, domain)).run()

const DAY_S = 86_400

/** How long senders keep a policy, in seconds. */
export const maxAgeOf = (mode: MtaStsRow['mode']): number => (mode === 'enforce' ? 7 * DAY_S : DAY_S)

export const recordValue = ({ policy_id }: Pick<MtaStsRow, 'policy_id'>): string => `v=STSv1; id=${policy_id};`

/** What the web server answers. */
export function mailPolicy(db: Db, { id }: DomainRow): MailPolicy | undefined {
  const row = mtaStsOf(db, id)
  return row && { mode: row.mode, maxAge: maxAgeOf(row.mode), mx: row.mx }
}

type Composed = Pick<Runtime, 'areas' | 'hostname'>

const isPolicyProven = (runtime: Composed, db: Db, domain: DomainRow): boolean =>
  mailLabelsOf(runtime, db, domain).includes('mta-sts') && isProven(runtime, db, domain, `mta-sts.${domain.name}`)

/** Whether a mail server is the name for mail of a domain on the same machine, and shows a certificate for it. */
function isProvenExchanger(runtime: Composed, db: Db, { account_id }: DomainRow, host: string): boolean {
  const owner = host.startsWith('mail.') ? queries(db).named.get({ name: host.slice('mail.'.length) }) : undefined
  if (!owner || accountById(db, owner.account_id)?.mail_node !== accountById(db, account_id)?.mail_node) return false
  return mailLabelsOf(runtime, db, owner).includes('mail') && isProven(runtime, db, owner, host)
}

/** Rises with each change, also where several fall into one second. */
export const nextPolicyId = (former: number, now: number): number => Math.max(former + 1, Math.floor(now / 1000))

/** What an applied policy changes on the host. */
export const policyAreas: HostArea[] = ['mail', 'dns', 'web']

/** What keeps senders from relying on the policy: the names without a proven certificate. */
export const unprovenNames = (runtime: Composed, db: Db, domain: DomainRow): string[] => [
  ...(isPolicyProven(runtime, db, domain) ? [] : [`mta-sts.${domain.name}`]),
  ...exchangersOf(db, domain).filter((host) => !isProvenExchanger(runtime, db, domain, host)),
]

/** Row to resource (contract: MtaSts). */
export function toMtaSts(runtime: Composed, db: Db, domain: DomainRow): z.infer<(typeof getMtaSts)['answer']> {
  const row = mtaStsOf(db, domain.id)
  const proven = isPolicyProven(runtime, db, domain)
  if (!row) return { domain: domain.name, mode: 'none', proven, mx: exchangersOf(db, domain) }
  return {
    ...{ domain: domain.name, mode: row.mode, proven, mx: [...row.mx], policy_id: String(row.policy_id) },
    max_age: maxAgeOf(row.mode),
    url: `https://mta-sts.${domain.name}/.well-known/mta-sts.txt`,
    record: { name: `_mta-sts.${domain.name}`, value: recordValue(row) },
    ...(row.ends_at !== null && { ends_at: row.ends_at }),
  }
}
