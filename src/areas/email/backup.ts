import type { Feature } from '../../contract/common.ts'
import type { BackupPart } from '../accounts/objects/part.ts'
import { restoreWith } from '../accounts/operations/restore-with.ts'
import { isOfOthers } from '../domains/backup.ts'
import { renaming } from '../domains/renamed.ts'
import { restoreDomains, type SavedMail, savedDomains } from './backup/domains.ts'
import { restoreForwarders, type SavedForwarder, savedForwarders } from './backup/forwarders.ts'
import { restoreMailboxes, type SavedMailbox, savedMailboxes } from './backup/mailboxes.ts'
import { scoreOf, setEmailAccount } from './spam.ts'

interface EmailBackup {
  readonly mailboxes: readonly SavedMailbox[]
  readonly forwarders: readonly SavedForwarder[]
  readonly domains: readonly SavedMail[]
  readonly spam_score: number
}

/** Keeps newer objects, recreates missing ones, and resets the rest. DKIM keys are never restored. */
export const backup: BackupPart = {
  part: 'config',
  save: ({ store: { db } }, { id }, secrets) => ({
    data: {
      mailboxes: savedMailboxes(db, id, secrets),
      forwarders: savedForwarders(db, id),
      domains: savedDomains(db, id),
      spam_score: scoreOf(db, id),
    } satisfies EmailBackup,
  }),
  restore(ctx, account, { account: former, data, secrets }) {
    const { spam_score, ...saved } = data as EmailBackup
    const nameNow = renaming(former.domain, account.main_domain)
    const own = <One extends { readonly domain: string }>(all: readonly One[]): readonly One[] =>
      all.filter(({ domain }) => !isOfOthers(ctx, account, former, nameNow(domain)))
    const { mailboxes, forwarders, domains } = {
      mailboxes: own(saved.mailboxes),
      forwarders: own(saved.forwarders),
      domains: own(saved.domains),
    }
    const having = (what: string, feature: Feature, restore: () => readonly string[]): readonly string[] =>
      restoreWith(ctx, account.id, { what, feature }, restore)
    return [
      ...having('mailboxes', 'pop_accounts', () => restoreMailboxes(ctx, account, mailboxes, { nameNow, secrets })),
      ...having('forwarders', 'forwarders', () => restoreForwarders(ctx, account, forwarders, nameNow)),
      ...restoreDomains(ctx, account, domains, nameNow),
      ...having('spam_score', 'spam_filter', () => {
        setEmailAccount(ctx, account, { spam_score })
        return []
      }),
    ]
  },
}
