import { Submit } from '../../../web/kit/components/button.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { SearchBox, SearchForm, Select } from '../../../web/kit/lists/search-box.tsx'
import type { ViewContext } from '../../../web/kit/screen.ts'
import { types } from './record-fields.ts'

const byText = { name: 'q', label: 'Find by name or value' }

/** Filters the records in the store; inside the form, so that no staged change is lost. */
export const Narrowing = ({ view, staged = false }: { view: ViewContext; staged?: boolean }) =>
  staged ? (
    <search class="filter">
      <SearchBox {...byText} query={view.query} prefix="_show." />
      <Choices query={view.query} prefix="_show." />
      <Submit label="Filter" name="_stage" value="keep" />
    </search>
  ) : (
    <div class="filter">
      <SearchForm view={view} by={byText}>
        <Choices query={view.query} prefix="" />
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
