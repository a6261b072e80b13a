import type { Child } from 'hono/jsx'
import { Hidden, Trouble } from '../../../web/kit/form.tsx'
import { Icon } from '../../../web/kit/icon.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { withQuery } from '../../../web/kit/query.ts'
import type { FormModel, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { AddRow } from './inputs.tsx'
import { Narrowing } from './narrowing.tsx'
import { RecordPager } from './pager.tsx'
import { RecordTable } from './rows.tsx'
import { type Editing, editingIn, heldOf } from './stages.ts'

/** The records of a zone, as a table that one can edit. What is changed stands in its form until it is saved. */
export function zoneEditor(visit: Visit): Shown {
  const { data, names } = visit
  const form = visit.form('changeDnsRecords')
  const editing = editingIn(visit.typed ?? new URLSearchParams({ serial: String(data.serial) }))
  return {
    title: t('DNS records'),
    count: data.total > 0 ? data.total : undefined,
    lead: (
      <>
        <Machine text={names['zone']!} /> · {t('serial')} <Machine text={String(data.serial)} />
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
    <a class="button" href={visit.href('/dns/{zone}/settings')}>
      {t('Settings')}
    </a>
    <a class="button" href={visit.href('/dns/{zone}/text')}>
      {t('Edit as text')}
    </a>
    <a class="button" href={`${visit.path}?${withQuery(visit, { format: 'csv', page: '' })}`}>
      {t('Download CSV')}
    </a>
    {visit.may('createDnsRecord') ? (
      <a class="button" href={visit.href('/dns/{zone}/new')}>
        <Icon name="plus" /> {t('Add a record')}
      </a>
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

/** Takes back what was just saved, while nothing else has changed the zone. */
const Undo = ({ visit: { done, data, path }, form }: { visit: Visit; form: FormModel }) =>
  done?.undo?.get('serial') === String(data.serial) ? (
    <form method="post" action={path} class="inline" id="undo" data-once="">
      <Hidden of={form} />
      <Held pairs={done.undo} />
      <button type="submit">{t('Undo')}</button>
    </form>
  ) : null

interface Props {
  readonly visit: Visit
  readonly form: FormModel
  readonly editing: Editing
}

export const countOf = ({ deletes, updates, creates }: Editing): number =>
  deletes.length + updates.length + creates.length

/** Enter presses the first button of a form: it keeps what was typed, and saves nothing. */
const Editor = ({ visit, form, editing }: Props) => {
  const isStaged = countOf(editing) > 0 || editing.edit !== undefined
  const query = withQuery(visit, {})
  return (
    <>
      {isStaged ? null : <Narrowing visit={visit} />}
      <form method="post" action={query === '' ? visit.path : `${visit.path}?${query}`} class="stack" data-once="">
        <button type="submit" name="_stage" value="keep" class="visually-hidden" tabindex={-1}>
          {t('Keep what is typed')}
        </button>
        <Hidden of={form} />
        <Held pairs={heldOf(editing)} />
        {form.refusal ? <Trouble refusal={form.refusal} /> : null}
        {countOf(editing) > 0 ? <Unsaved visit={visit} editing={editing} /> : null}
        {isStaged ? <Narrowing visit={visit} staged /> : null}
        <div class="card">
          <AddRow said={editing.add} tried={visit.typed !== undefined} />
          <RecordTable visit={visit} editing={editing} refusal={form.refusal} edits />
          <RecordPager visit={visit} staged={isStaged} />
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
      <a class="button" href={visit.path}>
        {t('Discard')}
      </a>
      <button type="submit" class="main">
        {count === 1 ? t('Save 1 change') : t('Save {count} changes', { count })}
      </button>
    </div>
  )
}
