import type { Child } from 'hono/jsx'
import { LinkButton, Submit } from '../../../web/kit/components/button.tsx'
import { Code, codeInputProps } from '../../../web/kit/components/code.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { listOf, NUMBER_FIELD, numberIn } from '../../../web/kit/forms/item-of-list.ts'
import { ItemOfList, Replacing } from '../../../web/kit/forms/list-form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Table } from '../../../web/kit/lists/table.tsx'
import type { Answered, FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'
import {
  actionNames,
  actionRow,
  conditionFields,
  conditionTests,
  draftOf,
  type FilterDraft,
  filterIn,
  type Row,
} from './filter-form.ts'

const words: Readonly<Record<string, string>> = {
  from: 'From',
  to: 'To or Cc',
  subject: 'Subject',
  list: 'Mailing list',
  header: 'Header',
  size: 'Size in bytes',
  contains: 'contains',
  is: 'is',
  matches: 'matches * and ?',
  over: 'is over',
  under: 'is under',
  move: 'Move to the folder',
  copy: 'Copy to the folder',
  forward: 'Forward to the address',
  'mark read': 'Mark as read',
  'mark flagged': 'Mark as flagged',
  discard: 'Discard',
  keep: 'Keep in the inbox',
}

export const toFilters = (form: URLSearchParams) => ({ items: listOf(form, filterIn) })

/** A mailbox's filters in their order, and a form for one of them. */
export function filtersPage(view: ViewContext): PageView {
  const items: Answered[] = view.data.items
  const form = view.form('setMailFilters', { only: [] })
  const number = numberIn(view.query, view.typed, items)
  return {
    title: t('Mail filters'),
    lead: (
      <a href={view.href('/email/{mailbox}')}>
        <Code text={view.names['mailbox'] ?? ''} />
      </a>
    ),
    body: (
      <>
        {items.length === 0 ? (
          <p class="card empty soft">{t('A filter sorts mail as it arrives: into folders, on to others, or away.')}</p>
        ) : (
          <Filters view={view} items={items} form={form} />
        )}
        {form ? (
          <Card title={number < items.length ? 'Change the filter' : 'Add a filter'} id="filter">
            <FilterForm view={view} form={form} items={items} number={number} />
          </Card>
        ) : null}
      </>
    ),
  }
}

interface FiltersProps {
  readonly view: ViewContext
  readonly items: readonly Answered[]
  readonly form: FormModel | undefined
}

const Filters = ({ view, items, form }: FiltersProps) => (
  <Card title="In this order">
    <Table
      caption="Mail filters"
      rows={items.map((filter, number) => ({ filter, number }))}
      columns={[
        { field: 'name', cell: ({ filter }) => <bdi>{filter.name}</bdi> },
        { field: 'when', label: 'Conditions', cell: ({ filter }) => <Conditions filter={filter} /> },
        { field: 'then', label: 'Actions', cell: ({ filter }) => <Listed all={filter.then.map(actionText)} /> },
      ]}
      action={
        form
          ? ({ number }) => (
              <span class="buttons">
                <LinkButton href={`${view.path}?edit=${number}#filter`} label="Edit" />
                {number > 0 ? (
                  <Replacing
                    form={form}
                    label="Move up"
                    list={items.toSpliced(number - 1, 2, items[number], items[number - 1])}
                  />
                ) : null}
                <Replacing form={form} label="Remove" list={items.toSpliced(number, 1)} />
              </span>
            )
          : undefined
      }
    />
  </Card>
)

const Listed = ({ all }: { all: readonly string[] }) => <bdi>{all.join('; ')}</bdi>

const Conditions = ({ filter: { match, when } }: { filter: Answered }) => (
  <>
    {when.length < 2 ? null : <span class="soft">{t(match === 'any' ? 'Any of:' : 'All of:')} </span>}
    <Listed all={when.map(conditionText)} />
  </>
)

const wordOf = (name: string): string => t(words[name] ?? name)

const conditionText = ({ field, name, test, value }: Answered): string =>
  `${field === 'header' ? name : wordOf(field)} ${wordOf(test)} ${value}`

const actionText = (action: Answered): string => {
  const { what, value } = actionRow(action)
  return `${wordOf(what)} ${value}`.trimEnd()
}

interface FormProps {
  readonly view: ViewContext
  readonly form: FormModel
  readonly items: readonly Answered[]
  readonly number: number
}

const FilterForm = ({ view, form, items, number }: FormProps) => {
  const draft = draftOf(items[number], view.typed?.has(NUMBER_FIELD) ? view.typed : undefined)
  return (
    <form method="post" action={form.action} class="fields pad" data-once="" data-say="">
      <ItemOfList view={view} form={form} list={items} number={number} />
      <div class="field text">
        <label for="filter-name">{t('Name')}</label>
        <input id="filter-name" name="name" value={draft.name} maxlength={100} autocomplete="off" />
      </div>
      <Rules draft={draft} />
      <label class="none">
        <input type="checkbox" name="stop" value="true" checked={draft.stop} /> {t('Skip the filters below')}
      </label>
      <p class="buttons">
        <Submit label="Save the filter" look="main" />
        {number < items.length ? <LinkButton href={view.path} label="Cancel" /> : null}
      </p>
    </form>
  )
}

const Rules = ({ draft }: { draft: FilterDraft }) => (
  <>
    <fieldset class="field">
      <legend>{t('If')}</legend>
      <Select name="match" label="How many" chosen={draft.match} options={['all', 'any']} words={matchWords} />
      {draft.when.map((row) => (
        <span class="line">
          <Select name="when.what" label="Field" chosen={row.what} options={conditionFields} />
          <Select name="when.test" label="Comparison" chosen={row.test ?? ''} options={conditionTests} />
          <Value name="when.value" row={row} label="Value" />
        </span>
      ))}
      <p class="help">{t('A header with its name: X-Priority: 1. Save to get another line.')}</p>
    </fieldset>
    <fieldset class="field">
      <legend>{t('Then')}</legend>
      {draft.then.map((row) => (
        <span class="line">
          <Select name="then.what" label="Action" chosen={row.what} options={['', ...actionNames]} />
          <Value name="then.value" row={row} label="Folder or address" />
        </span>
      ))}
    </fieldset>
  </>
)

const matchWords: Readonly<Record<string, string>> = { all: 'all of these hold', any: 'any of these holds' }

interface SelectProps {
  readonly name: string
  readonly label: string
  readonly chosen: string
  readonly options: readonly string[]
  readonly words?: Readonly<Record<string, string>>
}

const Select = ({ name, label, chosen, options, words: own = words }: SelectProps): Child => (
  <span class="field">
    <select name={name} aria-label={t(label)}>
      {options.map((option) => (
        <option value={option} selected={option === chosen}>
          {option === '' ? '–' : t(own[option] ?? option)}
        </option>
      ))}
    </select>
  </span>
)

const Value = ({ name, row, label }: { name: string; row: Row; label: string }) => (
  <span class="field">
    <input name={name} class="m" value={row.value} aria-label={t(label)} autocomplete="off" {...codeInputProps} />
  </span>
)
