import { type BackupPart, partsOf } from '../objects/part.ts'
import { type FullAccount, writeAccount } from '../store.ts'
import { restoreWith } from './restore-with.ts'

const free = ['contact_email', 'theme', 'locale', 'mail_routing'] as const
/** Each needs the feature of the same name. */
const switches = ['spam_box', 'spam_filter'] as const
const columns = [...free, ...switches]

type SavedColumns = Partial<Pick<FullAccount, (typeof columns)[number]>>

const columnsOf = (from: SavedColumns, names: readonly (keyof SavedColumns)[]): SavedColumns =>
  Object.fromEntries(names.map((name) => [name, from[name]]))

/** What the account can change itself; never its identity, owner, limits or passwords. */
export const backup: BackupPart = {
  part: 'config',
  save: (_runtime, account) => ({ data: columnsOf(account, columns) }),
  restore(ctx, account, { data }) {
    const { id } = account
    const write = (...names: (keyof SavedColumns)[]): readonly string[] => {
      writeAccount(ctx.store.sqlite, columnsOf(data, names), id)
      return []
    }
    write(...free)
    const { contact_email } = data as SavedColumns
    if (contact_email !== account.contact_email)
      for (const { contactRestored } of partsOf(ctx.runtime)) contactRestored?.(ctx, account)
    return switches.flatMap((name) => restoreWith(ctx, id, { what: name, feature: name }, () => write(name)))
  },
}
