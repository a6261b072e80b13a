import { type Filter, filtersOf } from './filters.ts'
import { headOf, worded as words } from './label.ts'
import { Pills } from './pills.tsx'
import { hereWith } from './query.ts'
import type { Visit } from './screen.ts'
import { Kept, SearchForm, Select } from './search-box.tsx'
import { t } from './text.ts'
import { wordOf } from './value-words.ts'

const mostPills = 6

/** Filters a list in the store, by a text and by closed sets. */
export const ListFilter = ({ visit }: { visit: Visit }) => {
  const { search, choices } = filtersOf(visit.screen)
  if (!search && choices.length === 0) return null
  const [first, ...others] = choices
  const pills = first && first.values.length <= mostPills ? first : undefined
  const selects = pills ? others : choices
  return (
    <div class="filter">
      {search || selects.length > 0 ? (
        <SearchForm visit={visit} by={search}>
          {selects.map(({ name, values }) => (
            <Select name={name} label={headOf(name)} options={optionsOf(name, values)} chosen={visit.query.get(name)} />
          ))}
          {pills ? <Kept name={pills.name} query={visit.query} /> : null}
        </SearchForm>
      ) : null}
      {pills ? <Pills label={headOf(pills.name)} of={pillsOf(visit, pills)} /> : null}
    </div>
  )
}

const worded = (value: string): string =>
  t(value === 'true' ? 'Yes' : value === 'false' ? 'No' : (wordOf(value) ?? words(value)))

const optionsOf = (name: string, values: readonly string[]) => [
  ['', t('{name}: any', { name: t(headOf(name)) })] as const,
  ...values.map((value) => [value, worded(value)] as const),
]

const pillsOf = (visit: Visit, { name, values }: Filter) =>
  ['', ...values].map((value) => ({
    href: hereWith(visit, { [name]: value, page: '' }),
    text: value === '' ? t('All') : worded(value),
    isNow: value === (visit.query.get(name) ?? ''),
  }))
