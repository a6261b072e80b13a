import type { Child } from 'hono/jsx'
import { LinkButton, Submit } from '../../../web/kit/components/button.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { FormError, Hidden } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Pager } from '../../../web/kit/lists/pager.tsx'
import type { FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { AddRow } from './inputs.tsx'
import { Narrowing } from './narrowing.tsx'
import { RecordTable } from './rows.tsx'
import { type Editing, editingIn, hiddenFieldsOf } from './staged-edits.ts'

/** A zone's records as an editable table. Changes are staged in its form until they are saved. */
export function zoneEditor(view: ViewContext): PageView {
  const { data, names } = view
  const form = view.form('changeDnsRecords')
  const editing = editingIn(view.typed ?? new URLSearchParams({ serial: String(data.serial) }))
  return {
    title: names['zone']!,
    machine: true,
    count: data.total > 0 ? data.total : undefined,
    lead: (
      <>
        {t('Serial')} <Code text={String(data.serial)} />
      </>
    ),
    actions: <Links view={view} />,
    body: form ? (
      <>
        <Undo view={view} form={form} />
        <Editor view={view} form={form} editing={editing} />
      </>
    ) : (
      <>
        <Narrowing view={view} />
        <RecordTable view={view} editing={editing} />
      </>
    ),
  }
}

const Links = ({ view }: { view: ViewContext }) => (
  <>
    <LinkButton href={view.href('/dns/{zone}/settings')} label="Settings" />
    <LinkButton href={view.href('/dns/{zone}/text')} label="Edit as text" />
    <LinkButton href={currentPathWith(view, { format: 'csv', page: '' })} label="Download CSV" />
    {view.may('createDnsRecord') ? (
      <LinkButton href={view.href('/dns/{zone}/new')} label="Add a record" icon="plus" />
    ) : null}
  </>
)

const HiddenFields = ({ pairs }: { pairs: Iterable<readonly [string, string]> }) => (
  <>
    {[...pairs].map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
)

/** Undoes the last save while nothing else has changed the zone: by record, or as a whole text. */
const Undo = ({ view: { done, data, path }, form }: { view: ViewContext; form: FormModel }) =>
  done?.undo?.get('serial') === String(data.serial) ? (
    <form
      method="post"
      action={done.undo.has('zone_file') ? `${path}/text` : path}
      class="inline"
      id="undo"
      data-once=""
    >
      <Hidden of={done.undo.has('zone_file') ? { ...form, op: 'importDnsZone' } : form} />
      <HiddenFields pairs={done.undo} />
      <button type="submit">{t('Undo')}</button>
    </form>
  ) : null

interface Props {
  readonly view: ViewContext
  readonly form: FormModel
  readonly editing: Editing
}

const countOf = ({ deletes, updates, creates }: Editing): number => deletes.length + updates.length + creates.length

/** Enter presses a form's first button: this one keeps what was typed without saving. */
const Editor = ({ view, form, editing }: Props) => {
  const isStaged = countOf(editing) > 0 || editing.edit !== undefined
  const { items, total } = view.data
  return (
    <>
      {isStaged ? null : <Narrowing view={view} />}
      <form method="post" action={currentPathWith(view, {})} class="stack" data-once="">
        <button type="submit" name="_stage" value="keep" class="visually-hidden" tabindex={-1}>
          {t('Keep what is typed')}
        </button>
        <Hidden of={form} />
        <HiddenFields pairs={hiddenFieldsOf(editing)} />
        <FormError of={form.refusal} />
        {countOf(editing) > 0 ? <Unsaved view={view} editing={editing} /> : null}
        {isStaged ? <Narrowing view={view} staged /> : null}
        <div class="card">
          <AddRow fields={editing.add} tried={view.typed !== undefined} />
          <RecordTable view={view} editing={editing} refusal={form.refusal} edits />
          <Pager view={view} count={items.length} total={total} defaultPageSize={200} staged={isStaged} />
        </div>
      </form>
    </>
  )
}

const Unsaved = ({ view, editing }: { view: ViewContext; editing: Editing }) => {
  const count = countOf(editing)
  const { creates, updates, deletes, clashes } = editing
  const parts: Child[] = [
    creates.length > 0 ? <span class="good">{t('{count} new', { count: creates.length })}</span> : null,
    updates.length > 0 ? <span class="warn">{t('{count} changed', { count: updates.length })}</span> : null,
    deletes.length > 0 ? <span class="bad">{t('{count} deleted', { count: deletes.length })}</span> : null,
  ].filter((part) => part !== null)
  return (
    <div class="notice warn" role="status">
      <b>{count === 1 ? t('1 change, not saved yet:') : t('{count} changes, not saved yet:', { count })}</b>
      {parts}
      <span>{t('They are applied together or not at all.')}</span>
      {clashes.length > 0 ? <span class="bad">{t('Some were changed by others too: check them.')}</span> : null}
      <LinkButton href={view.path} label="Discard" />
      <Submit label={count === 1 ? 'Save 1 change' : 'Save {count} changes'} values={{ count }} look="main" />
    </div>
  )
}
