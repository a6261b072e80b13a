import { Submit } from '../../../web/kit/button.tsx'
import type { Visit } from '../../../web/kit/screen.ts'
import { SearchBox, SearchForm, Select } from '../../../web/kit/search-box.tsx'
import { t } from '../../../web/kit/text.ts'
import { types } from './said.ts'

const byText = { name: 'q', label: 'Find by name or value' }

/** Filters the records in the store; inside the form, so that no staged change is lost. */
export const Narrowing = ({ visit, staged = false }: { visit: Visit; staged?: boolean }) =>
  staged ? (
    <search class="filter">
      <SearchBox {...byText} query={visit.query} prefix="_show." />
      <Choices query={visit.query} prefix="_show." />
      <Submit label="Filter" name="_stage" value="keep" />
    </search>
  ) : (
    <div class="filter">
      <SearchForm visit={visit} by={byText}>
        <Choices query={visit.query} prefix="" />
      </SearchForm>
    </div>
  )

const Choices = ({ query, prefix }: { query: URLSearchParams; prefix: string }) => (
  <>
    <Select
      name={`${prefix}type`}
      label="Type"
      options={[['', t('All types')], ...types.map((type) => [type, type] as const)]}
      chosen={query.get('type')}
    />
    <Select
      name={`${prefix}managed`}
      label="Whose"
      options={[
        ['', t('Yours and automatic')],
        ['false', t('Yours')],
        ['true', t('Automatic')],
      ]}
      chosen={query.get('managed')}
    />
  </>
)
