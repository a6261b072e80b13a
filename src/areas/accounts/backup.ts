import type { BackupPart } from './part.ts'
import { restoreWith } from './restore-with.ts'
import { type FullAccount, writeAccount } from './store.ts'

const free = ['contact_email', 'theme', 'locale', 'mail_routing'] as const
/** Each needs the feature of the same name. */
const switches = ['spam_box', 'spam_filter'] as const
const columns = [...free, ...switches]

type Kept = Partial<Pick<FullAccount, (typeof columns)[number]>>

const keptOf = (from: Kept, names: readonly (keyof Kept)[]): Kept =>
  Object.fromEntries(names.map((name) => [name, from[name]]))

/** What the account can change itself; never its identity, owner, limits or passwords. */
export const backup: BackupPart = {
  part: 'config',
  save: (_runtime, account) => ({ data: keptOf(account, columns) }),
  restore(ctx, { id }, { data }) {
    const write = (...names: (keyof Kept)[]): readonly string[] => {
      writeAccount(ctx.store.sqlite, keptOf(data, names), id)
      return []
    }
    write(...free)
    return switches.flatMap((name) => restoreWith(ctx, id, { what: name, feature: name }, () => write(name)))
  },
}
