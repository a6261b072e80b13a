import { eq } from 'drizzle-orm'
import type { Context } from '../../../runtime/operations/context.ts'
import { unknownCrypt } from '../../../runtime/security/crypt.ts'
import type { Db } from '../../../store/open.ts'
import { refuseOneMore } from '../../accounts/limits/usage-limits.ts'
import type { Secrets } from '../../accounts/objects/part.ts'
import { restoreWith } from '../../accounts/operations/restore-with.ts'
import type { FullAccount } from '../../accounts/store.ts'
import { namesOf } from '../../domains/renamed.ts'
import { filtersOf, saveFilters } from '../mailboxes/filters.ts'
import { refuseQuota, refuseRate } from '../mailboxes/limits.ts'
import { addMailbox, autoresponderOf, mailboxAt, mailboxesOf, newMailbox, setMailbox } from '../mailboxes/store.ts'
import { refuseBeingDeleted } from '../objects.ts'
import { type AutoresponderRow, autoresponders, type MailboxRow, type MailFilter } from '../tables.ts'
import { domainAt, type NameNow } from './at.ts'

type MailboxSettings = Pick<
  MailboxRow,
  'quota_mb' | 'max_per_hour' | 'suspended_login' | 'suspended_outgoing' | 'suspended_incoming'
>

export interface SavedMailbox extends MailboxSettings {
  readonly domain: string
  readonly local: string
  /** Encrypted. */
  readonly hash: string
  readonly hash_at: number
  readonly autoresponder?: Omit<AutoresponderRow, 'mailbox_id'>
  readonly filters?: readonly MailFilter[]
}

const settingsOf = ({
  quota_mb,
  max_per_hour,
  suspended_login,
  suspended_outgoing,
  suspended_incoming,
}: MailboxSettings): MailboxSettings => ({
  quota_mb,
  max_per_hour,
  suspended_login,
  suspended_outgoing,
  suspended_incoming,
})

export function savedMailboxes(db: Db, account: string, { seal }: Pick<Secrets, 'seal'>): SavedMailbox[] {
  const names = namesOf(db, account)
  return mailboxesOf.all(db, account).flatMap((row) => {
    const domain = names.get(row.domain_id)
    if (domain === undefined || row.status === 'deleting') return []
    const { mailbox_id: _, ...autoresponder } = autoresponderOf(db, row.id) ?? {}
    const filters = filtersOf(db, row.id)
    return [
      {
        domain,
        local: row.local,
        hash: seal(row.hash),
        hash_at: row.password_changed_at,
        ...settingsOf(row),
        ...('subject' in autoresponder && { autoresponder }),
        ...(filters.length > 0 && { filters }),
      },
    ]
  })
}

interface Means {
  readonly nameNow: NameNow
  readonly secrets: Pick<Secrets, 'open'>
}

/** Returns the mailboxes whose password is lost, and what was left out. */
export function restoreMailboxes(
  ctx: Context,
  account: FullAccount,
  all: readonly SavedMailbox[],
  means: Means,
): readonly string[] {
  const withoutPassword = all.flatMap((saved) => restoreOne(ctx, account, saved, means))
  const left = restoreWith(ctx, account.id, { what: 'autoresponders', feature: 'autoresponders' }, () => {
    for (const saved of all) restoreAutoresponder(ctx, account.id, saved, means)
    return []
  })
  const feature = all.some(({ filters }) => filters) ? ('email_filters' as const) : undefined
  const unfiltered = restoreWith(ctx, account.id, { what: 'mail filters', feature }, () => {
    for (const { filters = [], ...saved } of all) saveFilters(ctx.db, mailboxId(ctx, account.id, saved, means), filters)
    return []
  })
  return [...withoutPassword, ...left, ...unfiltered]
}

function restoreOne(ctx: Context, account: FullAccount, saved: SavedMailbox, { nameNow, secrets }: Means): string[] {
  const domain = domainAt(ctx, account.id, nameNow(saved.domain))
  const there = mailboxAt(ctx.db, { domain_id: domain.id, local: saved.local })
  const address = `${saved.local}@${domain.name}`
  if (there) refuseBeingDeleted(address, there)
  if (saved.quota_mb !== there?.quota_mb) refuseQuota(account, saved.quota_mb)
  if (saved.max_per_hour !== there?.max_per_hour) refuseRate(account, saved.max_per_hour)
  const hash = secrets.open(saved.hash)
  const password = hash === undefined ? {} : { hash, password_changed_at: saved.hash_at }
  const values = { ...settingsOf(saved), ...password }
  const id = there?.id ?? add(ctx, account.id, { domain_id: domain.id, local: saved.local })
  setMailbox(ctx, id, values)
  return hash === undefined ? [lost(address, there !== undefined)] : []
}

const lost = (address: string, stays: boolean): string =>
  `${address}: its password cannot be read in this backup${stays ? '; it keeps the one it has' : ': set a new one'}`

function add(ctx: Context, account_id: string, at: Pick<MailboxRow, 'domain_id' | 'local'>): string {
  refuseOneMore(ctx, 'email_accounts', account_id)
  const values = { account_id, ...at, hash: unknownCrypt(), quota_mb: null, max_per_hour: null }
  const row = newMailbox(ctx, values, 'active')
  addMailbox(ctx, row)
  return row.id
}

const mailboxId = (
  ctx: Context,
  account: string,
  { domain, local }: Pick<SavedMailbox, 'domain' | 'local'>,
  { nameNow }: Pick<Means, 'nameNow'>,
): string => mailboxAt(ctx.db, { domain_id: domainAt(ctx, account, nameNow(domain)).id, local })!.id

function restoreAutoresponder(
  ctx: Context,
  account: string,
  { autoresponder: saved, ...at }: SavedMailbox,
  means: Pick<Means, 'nameNow'>,
): void {
  const { db } = ctx
  const mailbox_id = mailboxId(ctx, account, at, means)
  db.delete(autoresponders).where(eq(autoresponders.mailbox_id, mailbox_id)).run()
  if (saved)
    db.insert(autoresponders)
      .values({ ...saved, mailbox_id })
      .run()
}
