import { type OperationId, operationList, operations } from '../contract/index.ts'
import { invalid, notFound, Problem } from '../contract/problem.ts'
import { inputOf } from './forms.ts'
import { Chip } from './kit/chip.tsx'
import { FieldBox } from './kit/fields.tsx'
import { Hidden } from './kit/form.tsx'
import { Machine } from './kit/machine.tsx'
import type { FormModel, Shown } from './kit/screen.ts'
import { Table } from './kit/table.tsx'
import { t } from './kit/text.ts'
import { paramsOf } from './names.ts'
import { type Looking, pathOf, readIfThere, visitOf } from './visit.ts'

interface Item {
  readonly id: string
  readonly name: string
}

interface Outcome extends Item {
  readonly refused?: string
}

const most = 100

/** What was chosen, by name. */
async function itemsIn(looking: Looking, op: OperationId, form: URLSearchParams): Promise<Item[]> {
  const ids = [...new Set(form.getAll('_item'))]
  if (ids.length === 0) throw invalid('_item', 'choose at least one row')
  if (ids.length > most) throw invalid('_item', `choose at most ${most} rows`)
  const items: Item[] = []
  for (const id of ids) items.push({ id, name: await nameOf(looking, op, id) })
  return items
}

async function nameOf(looking: Looking, op: OperationId, id: string): Promise<string> {
  const { rows } = looking.place.screen.acts?.[op] ?? {}
  if (rows) return rows.name(id)
  const { shows, name = 'id' } = looking.place.screen
  const { path } = operations[shows]
  const one = operationList.find(
    (op) => op.method === 'get' && op.path.startsWith(`${path}/{`) && op.path.endsWith('}'),
  )
  if (!one) return id
  const params = paramsOf(one.id as OperationId, [...Object.values(looking.ids), id], looking.around.accountId)
  return String((await readIfThere(looking.served, one.id as OperationId, { params }))?.[name] ?? id)
}

/** Asks first, with the names of what was chosen; then runs each as a change of its own, and tells how each went. */
export async function manyPage(looking: Looking, op: OperationId, form: URLSearchParams): Promise<Shown> {
  const items = await itemsIn(looking, op, form)
  return form.has('_yes') ? outcomes(looking, op, form, items) : asking(looking, op, items, form)
}

async function asking(
  looking: Looking,
  op: OperationId,
  items: readonly Item[],
  form: URLSearchParams,
): Promise<Shown> {
  const visit = await visitOf(looking, { typed: { op, form: withoutRows(form) } })
  const model = visit.form(op)
  if (!model) throw notFound('action')
  return { title: t(model.label), body: <Ask of={model} items={items} cancel={pathOf(looking.served)} /> }
}

/** What was typed for all of the rows. */
function withoutRows(form: URLSearchParams): URLSearchParams {
  const typed = new URLSearchParams(form)
  typed.delete('_item')
  return typed
}

const Ask = ({ of, items, cancel }: { of: FormModel; items: readonly Item[]; cancel: string }) => (
  <form method="post" action={of.action} class="fields card pad" data-once="">
    <Hidden of={{ ...of, key: undefined }} />
    <input type="hidden" name="_yes" value="1" />
    <Names items={items} />
    {of.fields.map((field) => (
      <FieldBox field={field} form={of.op} />
    ))}
    <p class="buttons">
      <button type="submit" class="main">
        {t('{action} ({count})', { action: t(of.label), count: items.length })}
      </button>
      <a class="button" href={cancel}>
        {t('Cancel')}
      </a>
    </p>
  </form>
)

const Names = ({ items }: { items: readonly Item[] }) => (
  <ul>
    {items.map(({ id, name }) => (
      <li>
        <input type="hidden" name="_item" value={id} />
        <Machine text={name} />
      </li>
    ))}
  </ul>
)

async function outcomes(
  looking: Looking,
  op: OperationId,
  form: URLSearchParams,
  items: readonly Item[],
): Promise<Shown> {
  const all: Outcome[] = []
  for (const group of groupsOf(looking, op, items)) {
    const outcome = await outcomeOf(looking, op, form, group)
    all.push(...group.map((item) => ({ ...item, ...outcome })))
  }
  const visit = await visitOf(looking, { typed: { op, form: withoutRows(form) } })
  const refused = all.filter((one) => one.refused !== undefined)
  const model = visit.form(op)
  return {
    title: t(operations[op].summary),
    lead: t('{done} done, {refused} refused', { done: all.length - refused.length, refused: refused.length }),
    body: (
      <>
        <Told outcomes={all} />
        {refused.length > 0 && model ? <Ask of={model} items={refused} cancel={pathOf(looking.served)} /> : null}
        <p>
          <a class="button" href={pathOf(looking.served)}>
            {t('Back to the list')}
          </a>
        </p>
      </>
    ),
  }
}

const rowsTold =
  ({ place }: Looking, op: OperationId, group: readonly Item[]) =>
  (typed: Record<string, unknown>) =>
    place.screen.acts?.[op]?.rows?.told(
      group.map(({ id }) => id),
      typed,
    ) ?? typed

/** What one change is about: a row, or all of them. */
const groupsOf = ({ place }: Looking, op: OperationId, items: readonly Item[]): (readonly Item[])[] =>
  place.screen.acts?.[op]?.rows?.together ? [items] : items.map((item) => [item])

async function outcomeOf(
  looking: Looking,
  op: OperationId,
  form: URLSearchParams,
  group: readonly Item[],
): Promise<{ refused?: string }> {
  const { served, around, ids } = looking
  const { screens, c, session } = served
  try {
    const { body, query } = await inputOf(served, op, form, around.accountId, rowsTold(looking, op, group))
    const params = paramsOf(op, [...Object.values(ids), group[0]!.id], around.accountId)
    await screens.perform(c, op, { params, query, body, csrf: session.csrf_token })
    return {}
  } catch (error) {
    if (error instanceof Problem) return { refused: error.message }
    throw error
  }
}

const Told = ({ outcomes: rows }: { outcomes: readonly Outcome[] }) => (
  <div class="card">
    <Table
      caption={t('What was done')}
      rows={rows}
      columns={[
        { field: 'name', cell: ({ name }: Outcome) => <Machine text={name} /> },
        {
          field: 'outcome',
          cell: ({ refused }: Outcome) =>
            refused === undefined ? <Chip status="done" /> : <Chip status="failed" word="Refused" />,
        },
        { field: 'detail', cell: ({ refused }: Outcome) => <bdi>{refused ?? ''}</bdi> },
      ]}
    />
  </div>
)
