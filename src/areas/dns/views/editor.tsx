import type { Child } from 'hono/jsx'
import { LinkButton, Submit } from '../../../web/kit/button.tsx'
import { Hidden, Trouble } from '../../../web/kit/form.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { Pager } from '../../../web/kit/pager.tsx'
import { hereWith } from '../../../web/kit/query.ts'
import type { FormModel, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { AddRow } from './inputs.tsx'
import { Narrowing } from './narrowing.tsx'
import { RecordTable } from './rows.tsx'
import { type Editing, editingIn, heldOf } from './stages.ts'

/** A zone's records as an editable table. Changes are staged in its form until they are saved. */
export function zoneEditor(visit: Visit): Shown {
  const { data, names } = visit
  const form = visit.form('changeDnsRecords')
  const editing = editingIn(visit.typed ?? new URLSearchParams({ serial: String(data.serial) }))
  return {
    title: names['zone']!,
    machine: true,
    count: data.total > 0 ? data.total : undefined,
    lead: (
      <>
        {t('Serial')} <Machine text={String(data.serial)} />
      </>
    ),
    actions: <Ways visit={visit} />,
    body: form ? (
      <>
        <Undo visit={visit} form={form} />
        <Editor visit={visit} form={form} editing={editing} />
      </>
    ) : (
      <>
        <Narrowing visit={visit} />
        <RecordTable visit={visit} editing={editing} />
      </>
    ),
  }
}

const Ways = ({ visit }: { visit: Visit }) => (
  <>
    <LinkButton href={visit.href('/dns/{zone}/settings')} label="Settings" />
    <LinkButton href={visit.href('/dns/{zone}/text')} label="Edit as text" />
    <LinkButton href={hereWith(visit, { format: 'csv', page: '' })} label="Download CSV" />
    {visit.may('createDnsRecord') ? (
      <LinkButton href={visit.href('/dns/{zone}/new')} label="Add a record" icon="plus" />
    ) : null}
  </>
)

const Held = ({ pairs }: { pairs: Iterable<readonly [string, string]> }) => (
  <>
    {[...pairs].map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
)

/** Undoes the last save while nothing else has changed the zone: by record, or as a whole text. */
const Undo = ({ visit: { done, data, path }, form }: { visit: Visit; form: FormModel }) =>
  done?.undo?.get('serial') === String(data.serial) ? (
    <form
      method="post"
      action={done.undo.has('zone_file') ? `${path}/text` : path}
      class="inline"
      id="undo"
      data-once=""
    >
      <Hidden of={done.undo.has('zone_file') ? { ...form, op: 'importDnsZone' } : form} />
      <Held pairs={done.undo} />
      <button type="submit">{t('Undo')}</button>
    </form>
  ) : null

interface Props {
  readonly visit: Visit
  readonly form: FormModel
  readonly editing: Editing
}

const countOf = ({ deletes, updates, creates }: Editing): number => deletes.length + updates.length + creates.length

/** Enter presses a form's first button: this one keeps what was typed without saving. */
const Editor = ({ visit, form, editing }: Props) => {
  const isStaged = countOf(editing) > 0 || editing.edit !== undefined
  const { items, total } = visit.data
  return (
    <>
      {isStaged ? null : <Narrowing visit={visit} />}
      <form method="post" action={hereWith(visit, {})} class="stack" data-once="">
        <button type="submit" name="_stage" value="keep" class="visually-hidden" tabindex={-1}>
          {t('Keep what is typed')}
        </button>
        <Hidden of={form} />
        <Held pairs={heldOf(editing)} />
        <Trouble of={form.refusal} />
        {countOf(editing) > 0 ? <Unsaved visit={visit} editing={editing} /> : null}
        {isStaged ? <Narrowing visit={visit} staged /> : null}
        <div class="card">
          <AddRow said={editing.add} tried={visit.typed !== undefined} />
          <RecordTable visit={visit} editing={editing} refusal={form.refusal} edits />
          <Pager visit={visit} count={items.length} total={total} usual={200} staged={isStaged} />
        </div>
      </form>
    </>
  )
}

const Unsaved = ({ visit, editing }: { visit: Visit; editing: Editing }) => {
  const count = countOf(editing)
  const { creates, updates, deletes, clashes } = editing
  const parts: Child[] = [
    creates.length > 0 ? <span class="good">{t('{count} new', { count: creates.length })}</span> : null,
    updates.length > 0 ? <span class="warn">{t('{count} changed', { count: updates.length })}</span> : null,
    deletes.length > 0 ? <span class="bad">{t('{count} deleted', { count: deletes.length })}</span> : null,
  ].filter((part) => part !== null)
  return (
    <div class="notice" role="status">
      <b>{count === 1 ? t('1 change, not saved yet:') : t('{count} changes, not saved yet:', { count })}</b>
      {parts}
      <span>{t('They are applied together or not at all.')}</span>
      {clashes.length > 0 ? <span class="bad">{t('Some were changed by others too: check them.')}</span> : null}
      <LinkButton href={visit.path} label="Discard" />
      <Submit label={count === 1 ? 'Save 1 change' : 'Save {count} changes'} values={{ count }} look="main" />
    </div>
  )
}
