import { filtersOf } from './filters.ts'
import { withQuery } from './query.ts'
import type { Visit } from './screen.ts'
import { inWords, t } from './text.ts'

const mostPills = 6

/** Narrows a list in the store: by a part of a name, and by what is one of a few. */
export const ListFilter = ({ visit }: { visit: Visit }) => {
  const { searches, choices } = filtersOf(visit.screen.shows)
  if (!searches && choices.length === 0) return null
  const [first, ...others] = choices
  const pills = first && first.values.length <= mostPills ? first : undefined
  const selects = pills ? others : choices
  return (
    <div class="filter">
      {searches || selects.length > 0 ? (
        <search>
          <form method="get" action={visit.path}>
            {searches ? (
              <input
                type="search"
                name="q"
                value={visit.query.get('q') ?? ''}
                aria-label={t('Find by name')}
                placeholder={t('Find by name')}
              />
            ) : null}
            {selects.map((choice) => (
              <Select choice={choice} chosen={visit.query.get(choice.name) ?? ''} />
            ))}
            {pills && visit.query.get(pills.name) ? (
              <input type="hidden" name={pills.name} value={visit.query.get(pills.name)!} />
            ) : null}
            <button type="submit">{t('Filter')}</button>
          </form>
        </search>
      ) : null}
      {pills ? <Pills visit={visit} choice={pills} /> : null}
    </div>
  )
}

interface Choice {
  readonly name: string
  readonly values: readonly string[]
}

const worded = (value: string): string => (value === 'true' ? 'Yes' : value === 'false' ? 'No' : inWords(value))

const Select = ({ choice: { name, values }, chosen }: { choice: Choice; chosen: string }) => (
  <select name={name} aria-label={t(inWords(name))}>
    <option value="">{t(`${inWords(name)}: any`)}</option>
    {values.map((value) => (
      <option value={value} selected={value === chosen}>
        {t(worded(value))}
      </option>
    ))}
  </select>
)

const Pills = ({ visit, choice: { name, values } }: { visit: Visit; choice: Choice }) => {
  const chosen = visit.query.get(name) ?? ''
  return (
    <ul class="pills" aria-label={t(inWords(name))}>
      {['', ...values].map((value) => (
        <li>
          <a
            href={`${visit.path}?${withQuery(visit, { [name]: value, page: '' })}`}
            {...(value === chosen ? { 'aria-current': 'true' } : {})}
          >
            {t(value === '' ? 'All' : worded(value))}
          </a>
        </li>
      ))}
    </ul>
  )
}
