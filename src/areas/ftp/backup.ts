import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { unknownCrypt } from '../../runtime/security/crypt.ts'
import { refuseOneMore } from '../accounts/limits/usage-limits.ts'
import type { BackupPart, RestoredFrom, Secrets } from '../accounts/objects/part.ts'
import { refuseDeleting } from '../accounts/operations/deleting.ts'
import type { FullAccount } from '../accounts/store.ts'
import { isOfOthers } from '../domains/backup.ts'
import { refuseBeingDeleted } from '../domains/busy.ts'
import { namesOf, renaming } from '../domains/renamed.ts'
import { domainsNamed } from '../domains/store.ts'
import { ftpAccountAt, ftpAccountsOf, setFtpAccount } from './store.ts'
import { type FtpRow, ftpAccounts } from './tables.ts'

interface SavedLogin extends Pick<FtpRow, 'local' | 'directory' | 'quota_mb'> {
  readonly domain: string
  /** Encrypted. */
  readonly hash: string
  readonly hash_at: number
}

function restoreOne(
  ctx: Context,
  account: string,
  { domain: name, local, directory, quota_mb, hash: sealed, hash_at }: SavedLogin,
  { open }: Pick<Secrets, 'open'>,
): string[] {
  const [domain] = domainsNamed(ctx.db, account, [name])
  if (!domain) throw new Problem('not-found', `The account has no domain ${name}.`)
  refuseBeingDeleted(domain)
  const login = `${local}@${name}`
  const there = ftpAccountAt(ctx.db, { domain_id: domain.id, local })
  if (there) refuseDeleting(login, there)
  const hash = open(sealed)
  const id = there?.id ?? add(ctx, account, { domain_id: domain.id, local })
  setFtpAccount(ctx, id, { directory, quota_mb, ...(hash !== undefined && { hash, password_changed_at: hash_at }) })
  return hash === undefined ? [`${login}: its password cannot be read in this backup: set a new one`] : []
}

function add(ctx: Context, account_id: string, at: Pick<FtpRow, 'domain_id' | 'local'>): string {
  refuseOneMore(ctx, 'ftp_accounts', account_id)
  const made = { id: ctx.id(), account_id, ...at, directory: '', quota_mb: null, hash: unknownCrypt() }
  const times = { password_changed_at: ctx.now, created_at: ctx.now }
  ctx.db
    .insert(ftpAccounts)
    .values({ ...made, ...times, status: 'active' })
    .run()
  return made.id
}

/** Keeps newer logins, recreates missing ones, and resets the rest. */
function restore(ctx: Context, account: FullAccount, { account: former, data, secrets }: RestoredFrom): string[] {
  const nameNow = renaming(former.domain, account.main_domain)
  const { logins } = data as { logins: readonly SavedLogin[] }
  const own = logins.filter(({ domain }) => !isOfOthers(ctx, account, former, nameNow(domain)))
  return own.flatMap((saved) => restoreOne(ctx, account.id, { ...saved, domain: nameNow(saved.domain) }, secrets))
}

export const backup: BackupPart = {
  part: 'config',
  feature: 'ftp_accounts',
  save({ store: { db } }, { id }, { seal }) {
    const names = namesOf(db, id)
    const logins = ftpAccountsOf.all(db, id).flatMap((row): SavedLogin[] => {
      const domain = names.get(row.domain_id)
      if (domain === undefined || row.status === 'deleting') return []
      const { local, directory, quota_mb, hash, password_changed_at: hash_at } = row
      return [{ domain, local, directory, quota_mb, hash: seal(hash), hash_at }]
    })
    return { data: { logins } }
  },
  restore,
}
