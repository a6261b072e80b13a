import type { BackupPart } from './part.ts'
import { type FullAccount, writeAccount } from './store.ts'

const columns = ['contact_email', 'theme', 'locale', 'mail_routing', 'spam_box', 'spam_filter'] as const

type Kept = Partial<Pick<FullAccount, (typeof columns)[number]>>

const keptOf = (from: Kept): Kept => Object.fromEntries(columns.map((name) => [name, from[name]]))

/** What its owner can change; never who it is, whose, with which limits or passwords. */
export const backup: BackupPart = {
  part: 'config',
  save: (_runtime, account) => ({ data: keptOf(account) }),
  restore({ store }, { id }, { data }) {
    writeAccount(store.sqlite, keptOf(data), id)
    return []
  },
}
