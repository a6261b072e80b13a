import type { ReportPart } from '../../../contract/imports.ts'
import { invalid } from '../../../contract/problem.ts'
import type { SourceAutoresponder } from '../../../host/contract/driver.ts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { unknownCrypt } from '../../../runtime/security/crypt.ts'
import { localParts } from '../../../shared/patterns.ts'
import type { ZoneRecord } from '../../../shared/zone/record.ts'
import type { RestoredFrom } from '../../accounts/objects/part.ts'
import { addAccount, completeRows } from '../../accounts/operations/create.ts'
import { toAscii } from '../../accounts/operations/names.ts'
import { accountById, addressesOfAccount, type FullAccount, nameOf, writeAccount } from '../../accounts/store.ts'
import { backup as cron } from '../../cron/backup.ts'
import { withProblems } from '../../dns/error.ts'
import { mergeRecords } from '../../dns/import.ts'
import { isAddress as isAddressRecord } from '../../dns/managed.ts'
import { recordOf, servedTtl } from '../../dns/rules.ts'
import { recordsOf, zoneOfDomain } from '../../dns/store.ts'
import { keyOf } from '../../dns/zone-index.ts'
import { backup as domains } from '../../domains/backup.ts'
import { newSiteRules } from '../../domains/site-rules.ts'
import { domainsNamed, servedDomains } from '../../domains/store.ts'
import type { StoredRules } from '../../domains/tables.ts'
import { verify } from '../../domains/verification/change.ts'
import { isVerified } from '../../domains/verification/store.ts'
import { backup as email } from '../../email/backup.ts'
import { scoreOf } from '../../email/spam.ts'
import { backup as ftp } from '../../ftp/backup.ts'
import { backup as mysql } from '../../mysql/backup.ts'
import { nativeHash } from '../../mysql/password.ts'
import { backup as ssh } from '../../ssh/backup.ts'
import { use } from '../../ssl/activate.ts'
import { validateUpload } from '../../ssl/validate-upload.ts'
import type { PlannedDomain } from '../plan/domains.ts'
import type { PlannedForwarder, PlannedMailbox } from '../plan/mail.ts'
import type { ImportPlan } from '../plan/plan.ts'
import { type PlannedRecord, type PlannedZone, withAddresses } from '../plan/zones.ts'
import type { ImportRow } from '../tables.ts'
import { attempt } from './attempt.ts'

/** A planned object that could not be made. */
export interface Refusal {
  readonly part: ReportPart
  readonly item: string
  readonly text: string
}

/** Nothing of it is encrypted: it never leaves the change. */
const plainSecrets = { open: (text: string) => text }

interface ImportRequest {
  readonly row: ImportRow
  readonly plan: ImportPlan
  readonly uid: number
}

/** Makes the account and all its rows in one change; objects that a rule refuses are left out and returned. */
export function makeAccount(ctx: Context, { row, plan, uid }: ImportRequest) {
  const { account: planned } = plan
  const body = {
    username: planned.username,
    domain: planned.mainDomain,
    package_id: planned.packageId,
    contact_email: planned.contact,
    owner_id: row.owner_id,
    ...(row.options.ip_id !== undefined && { ip_id: row.options.ip_id }),
    ...(row.options.ip6_id !== undefined && { ip6_id: row.options.ip6_id }),
    ...(planned.locale !== undefined && { locale: planned.locale }),
  }
  const imported = { uid, db_prefix: planned.prefix, importing_since: ctx.now }
  const id = addAccount(ctx, body, planned.passwordHash ?? null, imported)
  const account = completeRows(ctx, id)
  // What comes stays, also above a limit, which then refuses new objects.
  writeAccount(ctx.store.sqlite, unlimited, id)
  const maker = new Maker(ctx, accountById(ctx.db, id)!)
  maker.domains(plan.domains)
  maker.zones(plan.zones)
  maker.mail(plan)
  maker.databases(plan)
  maker.others(plan)
  writeAccount(ctx.store.sqlite, { ...limitsOf(account), ...planned.limits }, id)
  return { id, refusals: maker.refusals }
}

const limits = [
  ...(['max_addon', 'max_email', 'max_ftp', 'max_parked', 'max_sql', 'max_sub'] as const),
  ...(['max_email_quota_mb', 'max_email_per_hour'] as const),
] as const

type Limits = { readonly [Name in (typeof limits)[number]]: number | null }

const limitsOf = (account: Limits): Limits =>
  Object.fromEntries(limits.map((name) => [name, account[name]])) as unknown as Limits
const unlimited = Object.fromEntries(limits.map((name) => [name, null])) as unknown as Limits

interface PlacedRecord extends Omit<PlannedRecord, 'record'> {
  readonly record: ZoneRecord
}

const itemOf = (domain: string, { line }: { readonly line: number }): string => `${domain} line ${line}`

type Restores = (ctx: Context, account: FullAccount, from: RestoredFrom) => readonly string[]

class Maker {
  readonly refusals: Refusal[] = []
  readonly #ctx: Context
  readonly #account: FullAccount

  constructor(ctx: Context, account: FullAccount) {
    this.#ctx = ctx
    this.#account = account
  }

  domains(planned: readonly PlannedDomain[]): void {
    const order = ['main', 'addon', 'sub', 'parked']
    for (const domain of planned.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)))
      this.#restore('domains', domain.name, domains.restore, { domains: [savedDomain(domain)] })
    if (isRoot(this.#ctx.actor)) this.#verify()
  }

  /** Root, who takes the archive, answers for its names; those of a reseller's imports are looked up as usual. */
  #verify(): void {
    for (const domain of servedDomains(this.#ctx.db, this.#account.id))
      if (domain.kind !== 'sub' && !isVerified(this.#ctx.db, domain)) verify(this.#ctx, domain, 'root')
  }

  zones(planned: readonly PlannedZone[]): void {
    for (const { domain, records } of planned) {
      const known = this.#besideTemplate(
        domain,
        records.flatMap((one) => this.#record(domain, one) ?? []),
      )
      // One by one only where a rule refuses all: each record costs a look at the zone.
      const problem = attempt(this.#ctx, () => this.#addRecords(domain, known))
      if (problem === undefined) continue
      for (const one of known) this.#attempt('dns', itemOf(domain, one), '', () => this.#addRecords(domain, [one]))
    }
  }

  /** Names that lead to the account in the template have all its addresses, unless the zone adds some elsewhere. */
  #besideTemplate(domain: string, records: readonly PlacedRecord[]): readonly PlacedRecord[] {
    const zone = this.#zoneOf(domain)
    if (!zone) return records
    const own = new Set(recordsOf(this.#ctx.db, zone.id).flatMap((row) => (isAddressRecord(row) ? row.name : [])))
    for (const { follows, record } of records) if (!follows && isAddressRecord(record)) own.delete(record.name)
    // Those that lead elsewhere go first: they replace the template's addresses.
    return records
      .filter(({ follows, record }) => !follows || !own.has(record.name))
      .toSorted((a, b) => Number(a.follows) - Number(b.follows))
  }

  #zoneOf(domain: string) {
    const [row] = domainsNamed(this.#ctx.db, this.#account.id, [domain])
    return row && zoneOfDomain(this.#ctx.db, row.id)
  }

  #record(domain: string, { record, ...place }: PlannedRecord): PlacedRecord | undefined {
    const value = withAddresses(record, addressesOfAccount(this.#account))
    if (value === undefined) {
      const text = `${place.label}: the account has no IPv${record.type === 'A' ? 4 : 6} address`
      this.refusals.push({ part: 'dns', item: itemOf(domain, place), text })
      return undefined
    }
    let made: ZoneRecord | undefined
    this.#attempt('dns', itemOf(domain, place), `${place.label}: `, () => {
      made = withProblems(() => recordOf({ ...record, value, ttl: servedTtl(record.ttl) }, domain))
    })
    return made && { ...place, record: made }
  }

  #addRecords(domain: string, records: readonly PlacedRecord[]): void {
    const zone = this.#zoneOf(domain)
    if (!zone || records.length === 0) return
    const following = new Set(records.flatMap(({ follows, record }) => (follows ? keyOf(record) : [])))
    const skipped = mergeRecords(
      this.#ctx,
      nameOf(this.#account),
      zone,
      records.map(({ record }) => record),
      (record) => following.has(keyOf(record)),
    )
    for (const { line, reason } of skipped)
      this.refusals.push({ part: 'dns', item: itemOf(domain, records[line - 1]!), text: reason })
  }

  mail({ mail }: ImportPlan): void {
    const one = (data: object) => ({ mailboxes: [], forwarders: [], domains: [], spam_score: this.#score, ...data })
    for (const box of mail.mailboxes) {
      const address = `${box.local}@${box.domain}`
      this.#restore('mail', address, email.restore, one({ mailboxes: [savedMailbox(box, this.#ctx.now)] }))
      if (box.autoresponder)
        this.#restore(
          'mail',
          `autoresponder ${address}`,
          email.restore,
          one({ mailboxes: [{ ...savedMailbox(box, this.#ctx.now), ...answer(box.autoresponder, this.#ctx.now) }] }),
        )
    }
    for (const forwarder of mail.forwarders) this.#forwarder(forwarder, one)
    for (const [domain, catch_all] of mail.catchAlls)
      this.#restore(
        'mail',
        `catch-all ${domain}`,
        email.restore,
        one({ domains: [{ domain, routing: mail.remote.includes(domain) ? 'remote' : 'auto', catch_all }] }),
      )
    for (const domain of mail.remote)
      if (!mail.catchAlls.has(domain))
        this.#restore(
          'mail',
          `routing ${domain}`,
          email.restore,
          one({ domains: [{ domain, routing: 'remote', catch_all: null }] }),
        )
  }

  get #score(): number {
    return scoreOf(this.#ctx.db, this.#account.id)
  }

  #forwarder({ local, domain, destinations, keepCopy }: PlannedForwarder, one: (data: object) => object): void {
    const item = local === 'catch-all' ? `catch-all ${domain}` : `forwarder ${local}@${domain}`
    const wrong = isOwnLocal(local) ? destinations.find((one) => !isAddress(one)) : local
    if (wrong !== undefined)
      return void this.refusals.push({ part: 'mail', item, text: `${wrong} cannot be an address here` })
    const data = one({ forwarders: [{ local, domain, destinations, keep_copy: keepCopy }] })
    this.#restore('mail', item, email.restore, data)
  }

  databases({ databases: { databases, users }, account: { prefix } }: ImportPlan): void {
    const one = (data: object) => ({ prefix, databases: [], users: [], hosts: [], ...data })
    for (const { name, collation } of databases)
      this.#restore('mysql', name, mysql.restore, one({ databases: [{ name, collation }] }))
    for (const { name, hash, grants } of users)
      this.#restore(
        'mysql',
        `user ${name}`,
        mysql.restore,
        one({ users: [{ name, hash: hash ?? nativeHash(unknownCrypt()), hash_at: this.#ctx.now, grants }] }),
      )
  }

  others({ ftp: logins, cron: jobs, ssh: keys, certificates }: ImportPlan): void {
    for (const { item, local, domain, directory, hash = unknownCrypt() } of logins) {
      if (!isOwnLocal(local)) this.refusals.push({ part: 'ftp', item, text: 'a login cannot have this name here' })
      else
        this.#restore('ftp', item, ftp.restore, {
          logins: [{ domain, local, directory, quota_mb: null, hash, hash_at: this.#ctx.now }],
        })
    }
    for (const { item, ...job } of jobs)
      this.#restore('cron', item, cron.restore, { jobs: [{ ...job, timeout_s: CRON_TIMEOUT_S, comment: '' }] })
    for (const { item, key } of keys) {
      const { type, fingerprint, comment } = key
      const saved = { name: item, type, blob: key.blob, fingerprint, comment }
      this.#restore('ssh', item, ssh.restore, { keys: [saved], enabled: false })
    }
    for (const { domain, kind, sent } of certificates)
      this.#attempt('ssl', domain, '', () => {
        const [row] = domainsNamed(this.#ctx.db, this.#account.id, [domain])
        if (!row) throw invalid('domain', 'does not come')
        use(this.#ctx.runtime, row, { kind, ...validateUpload(sent, domain, this.#ctx.now) })
      })
  }

  /** By an area's restore of a backup with this one object. */
  #restore(part: ReportPart, item: string, restore: Restores, data: object): void {
    const { id, username, main_domain: domain } = this.#account
    const from = { account: { id, username, domain }, data, texts: {}, secrets: plainSecrets }
    this.#attempt(part, item, '', () => {
      const left = restore(this.#ctx, this.#account, from)
      if (left.length > 0) throw invalid('object', left.join('; '))
    })
  }

  #attempt(part: ReportPart, item: string, prefix: string, act: () => void): void {
    const problem = attempt(this.#ctx, act)
    if (problem !== undefined) this.refusals.push({ part, item, text: `${prefix}${problem}` })
  }
}

const [own, elsewhere] = [new RegExp(`^${localParts.hosted}@$`), new RegExp(`^${localParts.elsewhere}$`)]
const isOwnLocal = (local: string): boolean => own.test(`${local}@`)

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  return elsewhere.test(text.slice(0, at)) && toAscii(text.slice(at + 1)) === text.slice(at + 1)
}

const CRON_TIMEOUT_S = 86_400

/** All addresses there are. */
const everybody = ['0.0.0.0/0', '::/0']

function rulesOf({ kind, php, closed }: PlannedDomain): StoredRules {
  if (kind === 'parked') return {}
  const access = closed.map((path) => ({ path, deny: everybody }))
  return {
    ...newSiteRules,
    ...(php !== undefined && { php_version: php }),
    ...(access.length > 0 && { access }),
  }
}

function savedDomain(domain: PlannedDomain) {
  const { name, kind, parent, documentRoot, handler } = domain
  return {
    name,
    kind,
    ...(parent !== undefined && { parent }),
    document_root: documentRoot ?? null,
    handler,
    https_redirect: false,
    rules: rulesOf(domain),
    redirects: [],
  }
}

const savedMailbox = ({ source, local, domain, hash }: PlannedMailbox, now: number) => ({
  domain,
  local,
  hash: hash ?? unknownCrypt(),
  hash_at: now,
  quota_mb: source.quotaMb ?? null,
  max_per_hour: null,
  suspended_login: source.isLocked,
  suspended_outgoing: false,
  suspended_incoming: false,
})

const MAX_INTERVAL_DAYS = 30
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Plain words: those between percent signs stand for what the former panel put there. */
function answer({ subject, body, isHtml, startsAt, endsAt, intervalHours }: SourceAutoresponder, now: number) {
  const plain = (text: string) => (isHtml ? text.replaceAll(/<[^>]*>/g, '') : text)
  const days = Math.ceil((intervalHours ?? 0) / 24)
  return {
    autoresponder: {
      enabled: true,
      subject:
        subject
          .replaceAll(/%\w+%/g, '')
          .replaceAll(/\p{Cc}+/gu, ' ')
          .trim()
          .slice(0, MAX_SUBJECT) || 'Re:',
      body:
        plain(body)
          .replaceAll('\r\n', '\n')
          .replaceAll(/(?![\n\t])\p{Cc}/gu, ' ')
          .slice(0, MAX_BODY) || ' ',
      starts_on: startsAt === undefined ? null : dayOf(startsAt),
      ends_on: endsAt === undefined ? null : dayOf(endsAt),
      interval_days: Math.min(Math.max(1, days), MAX_INTERVAL_DAYS),
      created_at: now,
    },
  }
}

const [MAX_SUBJECT, MAX_BODY] = [200, 10_000]
