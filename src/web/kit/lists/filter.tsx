import { currentPathWith } from '../format/query.ts'
import { t } from '../i18n/i18n.ts'
import { headOf, worded as words } from '../i18n/label.ts'
import { wordOf } from '../i18n/value-words.ts'
import type { ViewContext } from '../screen.ts'
import { type FilterField, filtersOf } from './filters.ts'
import { Pills } from './pills.tsx'
import { HiddenQuery, SearchForm, Select } from './search-box.tsx'

const MAX_PILLS = 6

/** Filters a list in the store, by a text and by closed sets. */
export const ListFilter = ({ view }: { view: ViewContext }) => {
  const { search, choices } = filtersOf(view.screen)
  if (!search && choices.length === 0) return null
  const first = choices.find((choice) => !isYesNo(choice))
  const pills = first && first.values.length <= MAX_PILLS ? first : undefined
  const selects = choices.filter((choice) => choice !== pills)
  return (
    <div class="filter">
      {search || selects.length > 0 ? (
        <SearchForm view={view} by={search}>
          {selects.map(({ name, values }) => (
            <Select name={name} label={headOf(name)} options={optionsOf(name, values)} chosen={view.query.get(name)} />
          ))}
          {pills ? <HiddenQuery name={pills.name} query={view.query} /> : null}
        </SearchForm>
      ) : null}
      {pills ? <Pills label={headOf(pills.name)} of={pillsOf(view, pills)} /> : null}
    </div>
  )
}

/** As pills they would be answers without their question. */
const isYesNo = ({ values }: FilterField): boolean => values.includes('true')

const worded = (value: string): string =>
  t(value === 'true' ? 'Yes' : value === 'false' ? 'No' : (wordOf(value) ?? words(value)))

const optionsOf = (name: string, values: readonly string[]) => [
  ['', t('{name}: any', { name: t(headOf(name)) })] as const,
  ...values.map((value) => [value, worded(value)] as const),
]

const pillsOf = (view: ViewContext, { name, values }: FilterField) =>
  ['', ...values].map((value) => ({
    href: currentPathWith(view, { [name]: value, page: '' }),
    text: value === '' ? t('All') : worded(value),
    isNow: value === (view.query.get(name) ?? ''),
  }))
