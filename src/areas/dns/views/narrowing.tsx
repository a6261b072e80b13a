import type { Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { types } from './said.ts'

interface Choice {
  readonly name: string
  readonly label: string
  readonly options: readonly (readonly [value: string, label: string])[]
}

const choices: readonly Choice[] = [
  { name: 'type', label: 'Type', options: [['', 'All types'], ...types.map((type) => [type, type] as const)] },
  {
    name: 'managed',
    label: 'Whose',
    options: [
      ['', 'Yours and automatic'],
      ['false', 'Yours'],
      ['true', 'Automatic'],
    ],
  },
]

/** Narrows the records in the store; within the form of the changes, so that none is lost. */
export const Narrowing = ({ visit, staged = false }: { visit: Visit; staged?: boolean }) => (
  <search class="filter">
    {staged ? (
      <Inputs visit={visit} prefix="_show." />
    ) : (
      <form method="get" action={visit.path}>
        <Inputs visit={visit} prefix="" />
      </form>
    )}
  </search>
)

const Inputs = ({ visit: { query }, prefix }: { visit: Visit; prefix: string }) => (
  <>
    <input
      type="search"
      name={`${prefix}q`}
      value={query.get('q') ?? ''}
      aria-label={t('Find by name or value')}
      placeholder={t('Find by name or value')}
    />
    {choices.map((choice) => (
      <Select choice={choice} chosen={query.get(choice.name) ?? ''} prefix={prefix} />
    ))}
    <button type="submit" {...(prefix === '' ? {} : { name: '_stage', value: 'keep' })}>
      {t('Filter')}
    </button>
  </>
)

const Select = ({ choice, chosen, prefix }: { choice: Choice; chosen: string; prefix: string }) => (
  <select name={prefix + choice.name} aria-label={t(choice.label)}>
    {choice.options.map(([value, label]) => (
      <option value={value} selected={value === chosen}>
        {t(label)}
      </option>
    ))}
  </select>
)
