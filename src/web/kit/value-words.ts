import names from './names.json' with { type: 'json' }
import { own } from './own.ts'

/** Values of closed sets whose words do not say what they mean; of some fields alone. */
const { values: words }: { readonly values: Readonly<Record<string, string>> } = names

/** Fields whose values are of a closed set. */
const closed = new Set([
  ...['action', 'backup_schedule', 'effective_routing', 'every', 'handler', 'kind', 'listen', 'match', 'owner_type'],
  ...['parts', 'principal_type', 'role', 'roles', 'routing', 'severity', 'source', 'theme', 'trigger', 'type'],
  ...['two_factor_required', 'use', 'via'],
])

/** Languages are called what they call themselves. */
export const tongue = (locale: string): string =>
  new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale

const last = (field: string): string => field.slice(field.lastIndexOf('.') + 1)

export const isClosed = (field: string): boolean => closed.has(last(field))

export const wordOf = (value: string, field = ''): string | undefined =>
  own(words, `${last(field)}=${value}`) ?? own(words, value)
