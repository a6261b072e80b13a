import type { Child } from 'hono/jsx'
import { Submit } from '../components/button.tsx'
import { t } from '../i18n/i18n.ts'
import type { Search, ViewContext } from '../screen.ts'

interface SearchBoxProps extends Search {
  readonly query: URLSearchParams
  /** Prefixes its name in a form that sends more fields. */
  readonly prefix?: string
}

/** A text that filters a list. */
export const SearchBox = ({ query, name, label, example, prefix = '' }: SearchBoxProps) => (
  <input
    type="search"
    name={prefix + name}
    value={query.get(name) ?? ''}
    aria-label={t(label)}
    placeholder={example ?? t(label)}
    autocapitalize="none"
    spellcheck={false}
  />
)

interface SelectProps {
  readonly name: string
  readonly label: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly chosen: string | null
}

/** A select that filters a list. */
export const Select = ({ name, label, options, chosen }: SelectProps) => (
  <select name={name} aria-label={t(label)}>
    {options.map(([value, text]) => (
      <option value={value} selected={value === (chosen ?? '')}>
        {text}
      </option>
    ))}
  </select>
)

/** Keeps a parameter of the current address. */
export const HiddenQuery = ({ name, query }: { name: string; query: URLSearchParams }) => {
  const value = query.get(name)
  return value ? <input type="hidden" name={name} value={value} /> : null
}

/** Filters a page's list in the store. */
export const SearchForm = ({
  view,
  by,
  children,
}: {
  view: ViewContext
  by?: Search | undefined
  children?: Child
}) => (
  <search>
    <form method="get" action={view.path}>
      {by ? <SearchBox {...by} query={view.query} /> : null}
      {['sort', 'order'].map((name) => (
        <HiddenQuery name={name} query={view.query} />
      ))}
      {children}
      <Submit label="Filter" />
    </form>
  </search>
)
