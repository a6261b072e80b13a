import { and, eq, ne, sql } from 'drizzle-orm'
import type { Runtime } from '../../runtime/runtime.ts'
import { serverNames } from '../../runtime/settings/server-names.ts'
import { MAX_DOMAIN_LENGTH } from '../../shared/patterns.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { domainParts, type MailPolicy } from './part.ts'
import { type DomainRow, domains } from './tables.ts'
import { isVerified } from './verification/store.ts'

/** What mail programs ask for below a domain's name, and senders where it has a policy. */
export const mailLabels = ['mail', 'autoconfig', 'autodiscover', 'mta-sts'] as const
export type MailLabel = (typeof mailLabels)[number]

type Composed = Pick<Runtime, 'areas' | 'hostname'>

const queries = prepared((db: Db) => ({
  named: db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.name, sql.placeholder('name')), ne(domains.status, 'deleting')))
    .prepare(),
}))

/** A domain of that name comes before it, as do the server's own names. */
function isFree({ hostname }: Composed, db: Db, name: string): boolean {
  const isServers = Object.values(serverNames(db, hostname)).includes(name)
  return name.length <= MAX_DOMAIN_LENGTH && !isServers && queries(db).named.get({ name }) === undefined
}

/** The labels of these names that a domain has: none until it is verified. */
export function mailLabelsOf(runtime: Composed, db: Db, domain: DomainRow): MailLabel[] {
  if (domain.name.startsWith('*.') || !isVerified(db, domain)) return []
  return mailLabels.filter(
    (label) =>
      (label !== 'mta-sts' || mailPolicyOf(runtime, db, domain) !== undefined) &&
      isFree(runtime, db, `${label}.${domain.name}`),
  )
}

/** The policy by which senders encrypt the domain's mail. */
export function mailPolicyOf(runtime: Composed, db: Db, domain: DomainRow): MailPolicy | undefined {
  for (const { mailPolicy } of domainParts(runtime)) {
    const policy = mailPolicy?.(db, domain)
    if (policy) return policy
  }
  return undefined
}

/** Whether the domain's mail is kept here. */
export const takesMail = (runtime: Composed, db: Db, domain: DomainRow): boolean =>
  domainParts(runtime).some((part) => part.takesMail?.(db, domain, runtime.hostname))

/** Whether the domain's certificate shows a name to strangers. */
export const isProven = (runtime: Composed, db: Db, domain: DomainRow, name: string): boolean =>
  domainParts(runtime).some((part) => part.proves?.(db, domain, name))

/** The mail server that mail programs of a domain use: under its own name once that is proven. */
export function mailServerOf(runtime: Composed, db: Db, domain: DomainRow): string {
  const name = `mail.${domain.name}`
  const isOwn = mailLabelsOf(runtime, db, domain).includes('mail') && isProven(runtime, db, domain, name)
  return isOwn ? name : runtime.hostname.toLowerCase()
}
