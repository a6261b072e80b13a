import type { Child } from 'hono/jsx'
import { Submit } from '../../../web/kit/components/button.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered, FormRefusal, ViewContext } from '../../../web/kit/screen.ts'
import type { Changed } from './changes.ts'
import { Inputs } from './inputs.tsx'
import { dataOf, fieldsOf, type RecordFields } from './record-fields.ts'
import type { Edited, Editing } from './staged-edits.ts'

interface Props {
  readonly view: ViewContext
  readonly editing: Editing
  readonly refusal?: FormRefusal | undefined
  /** Whether the rows have buttons. */
  readonly edits?: boolean
}

/** New records first, then changed ones from other pages, then this page's. */
export const RecordTable = (props: Props) => {
  const { view, editing } = props
  const items: readonly Answered[] = view.data.items
  const listed = new Set(items.map(({ id }) => id))
  const unlisted = [...editing.updates, ...editing.deletes].filter(({ id }) => !listed.has(id))
  const isEmpty = items.length + editing.creates.length + unlisted.length === 0
  if (isEmpty) return <p class="pad">{t(view.query.size > 0 ? 'Nothing matches.' : 'The zone has no records.')}</p>
  return (
    <Records caption="DNS records">
      {editing.creates.map((fields, at) => (
        <NewRow fields={fields} at={at} error={errorAt(props.refusal, 'create', at)} />
      ))}
      {unlisted.map(({ id }) => (
        <KnownRow {...props} id={id} />
      ))}
      {items.map((record) => (
        <KnownRow {...props} id={record.id} record={record} />
      ))}
    </Records>
  )
}

export const Records = ({ caption, children }: { caption: string; children?: Child }) => (
  <div class="scroll">
    <table class="rows records">
      <caption class="visually-hidden">{t(caption)}</caption>
      <Head />
      <tbody>{children}</tbody>
    </table>
  </div>
)

const Head = () => (
  <thead>
    <tr>
      {['Name', 'Type', 'Value', 'TTL', ''].map((label) => (
        <th scope="col" class={label === 'TTL' ? 'end' : ''}>
          {label === '' ? <span class="visually-hidden">{t('Actions')}</span> : t(label)}
        </th>
      ))}
    </tr>
  </thead>
)

/** `create: item 2: …` and `create.1.port: …` are about the second record to add. */
function errorAt(refusal: FormRefusal | undefined, list: string, at: number): string | undefined {
  const [, item, error] = /^item (\d+): (.*)$/s.exec(refusal?.fields[list] ?? '') ?? []
  if (Number(item) === at + 1) return error
  return Object.entries(refusal?.fields ?? {}).find(([name]) => name.startsWith(`${list}.${at}.`))?.[1]
}

interface CellsProps {
  readonly mark: string
  readonly kind: string
  readonly fields: RecordFields
  /** The record that it replaces. */
  readonly old?: RecordFields | undefined
  readonly name?: Child
  readonly note?: Child
  readonly presses?: readonly (readonly [stage: string, label: string])[]
}

export const Row = ({ mark, kind, fields, old, name, note, presses = [] }: CellsProps) => (
  <tr class={kind}>
    <th scope="row">
      {mark === '' ? null : <b aria-hidden="true">{mark} </b>}
      {kind === '' ? null : <span class="visually-hidden">{t(kind)}: </span>}
      {name ?? <Diff was={old?.['name']} now={fields['name'] ?? ''} />}
    </th>
    <td data-label={t('Type')}>{fields['type']}</td>
    <td data-label={t('Value')}>
      <Diff was={old && dataOf(old)} now={dataOf(fields)} />
      {note}
    </td>
    <td class="end" data-label="TTL">
      <Diff was={old && (old['ttl'] ?? '–')} now={fields['ttl'] || '–'} />
    </td>
    <td class="act">
      {presses.map(([stage, label], place) => (
        <>
          {place === 0 ? '' : ' '}
          <Press stage={stage} label={label} />
        </>
      ))}
    </td>
  </tr>
)

const Diff = ({ was, now }: { was: string | undefined; now: string }) => (
  <>
    {was === undefined || was === now ? null : (
      <>
        <del>
          <Code text={was} />
        </del>
        <br />
      </>
    )}
    <Code text={now} />
  </>
)

const Press = ({ stage, label }: { stage: string; label: string }) => (
  <Submit label={label} name="_stage" value={stage} />
)

const FieldError = ({ text }: { text: string | undefined }) => (text === undefined ? null : <p class="error">{text}</p>)

const NewRow = ({ fields, at, error }: { fields: RecordFields; at: number; error: string | undefined }) => (
  <Row
    mark="+"
    kind="new"
    fields={fields}
    note={<FieldError text={error} />}
    presses={[
      [`again:${at}`, 'Edit'],
      [`drop:${at}`, 'Undo'],
    ]}
  />
)

const KnownRow = (props: Props & { id: string; record?: Answered }) => {
  const { editing, id, record } = props
  if (editing.edit?.id === id) return <EditRow edit={editing.edit} />
  const deleted = editing.deletes.findIndex((one) => one.id === id)
  if (deleted >= 0) return <GoneRow {...props} one={editing.deletes[deleted]!} at={deleted} />
  const changed = editing.updates.findIndex((one) => one.id === id)
  if (changed >= 0) return <ChangedRow {...props} one={editing.updates[changed]!} at={changed} />
  return <PlainRow {...props} record={record} />
}

const PlainRow = ({ view, record, edits }: Props & { record: Answered }) => (
  <Row
    mark=""
    kind=""
    fields={fieldsOf(record)}
    name={
      <a href={view.href('/dns/{zone}/records/{id}', record)}>
        <Code text={record.name} />
      </a>
    }
    note={record.managed ? <small> {t('automatic')}</small> : null}
    presses={
      edits
        ? [
            [`edit:${record.id}`, 'Edit'],
            [`delete:${record.id}`, 'Delete'],
          ]
        : []
    }
  />
)

type StagedProps = Props & { readonly id: string; readonly one: Changed; readonly at: number }

/** The errors of a change. */
const Notes = ({ editing, refusal, id, at, list }: StagedProps & { list: 'update' | 'delete' }) => (
  <>
    {editing.clashes.includes(id) ? <p class="error">{t('Conflict: someone else changed or deleted it.')}</p> : null}
    <FieldError text={errorAt(refusal, list, at)} />
  </>
)

const ChangedRow = (props: StagedProps) => (
  <Row
    mark="~"
    kind="changed"
    old={props.one.was}
    fields={{ ...props.one.was, ...props.one.change }}
    note={<Notes {...props} list="update" />}
    presses={[
      [`edit:${props.id}`, 'Edit'],
      [`undo:${props.id}`, 'Undo'],
    ]}
  />
)

const GoneRow = (props: StagedProps) => (
  <Row
    mark="−"
    kind="deleted"
    fields={props.one.was}
    note={<Notes {...props} list="delete" />}
    presses={[[`undo:${props.id}`, 'Undo']]}
  />
)

const EditRow = ({ edit }: { edit: Edited }) => (
  <tr>
    <td colspan={5}>
      <fieldset class="line">
        <legend class="visually-hidden">{t('Edit the record')}</legend>
        <input type="hidden" name="_edit" value={edit.id} />
        <input type="hidden" name="_was" value={JSON.stringify(edit.was)} />
        {edit.managed ? <input type="hidden" name="_edit.managed" value="true" /> : null}
        <b>{edit.was['type']}</b>
        <Inputs row="_edit" fields={{ ...edit.fields, type: edit.was['type'] ?? '' }} />
        <Press stage="change" label="Change" /> <Press stage="cancel" label="Cancel" />
        {edit.managed ? (
          <p>{t("It is automatic: once changed it is yours, and no longer follows the account's address.")}</p>
        ) : null}
      </fieldset>
    </td>
  </tr>
)
