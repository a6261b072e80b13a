import { type OperationId, operationList, operations } from '../contract/index.ts'
import { notFound, Problem } from '../contract/problem.ts'
import { inputOf } from './forms.ts'
import { LinkButton } from './kit/button.tsx'
import { Chip } from './kit/chip.tsx'
import { Asking } from './kit/confirm.tsx'
import { Machine } from './kit/machine.tsx'
import type { FormModel, Refusal, Shown } from './kit/screen.ts'
import { Table } from './kit/table.tsx'
import { t } from './kit/text.ts'
import { inLanguageOf } from './language.ts'
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
export async function itemsIn(looking: Looking, op: OperationId, form: URLSearchParams): Promise<Item[]> {
  const ids = [...new Set(form.getAll('_item'))]
  if (ids.length === 0) throw new Problem('validation', 'Choose at least one row.')
  if (ids.length > most) throw new Problem('validation', `Choose at most ${most} rows.`)
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
export async function manyPage(
  looking: Looking,
  op: OperationId,
  form: URLSearchParams,
  items: readonly Item[],
  refusal?: Refusal,
): Promise<Shown> {
  if (form.has('_yes') && !refusal) return outcomes(looking, op, form, items)
  return asking(looking, op, items, form, refusal)
}

async function asking(
  looking: Looking,
  op: OperationId,
  items: readonly Item[],
  form: URLSearchParams,
  refusal: Refusal | undefined,
): Promise<Shown> {
  const visit = await visitOf(looking, { typed: { op, form: withoutRows(form) }, ...(refusal && { refusal }) })
  const model = visit.form(op)
  if (!model) throw notFound('action')
  return {
    title: inLanguageOf(looking.served.c, () => t(model.label)),
    body: <Ask of={model} items={items} cancel={pathOf(looking.served)} />,
  }
}

/** What was typed for all of the rows. */
function withoutRows(form: URLSearchParams): URLSearchParams {
  const typed = new URLSearchParams(form)
  typed.delete('_item')
  return typed
}

const Ask = ({ of, items, cancel }: { of: FormModel; items: readonly Item[]; cancel: string }) => (
  <Asking of={of} label="{action} ({count})" values={{ action: t(of.label), count: items.length }} yes cancel={cancel}>
    <Names items={items} />
  </Asking>
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
  for (const [place, group] of groupsOf(looking, op, items).entries()) {
    const outcome = await outcomeOf(looking, op, form, group, keyAt(form, place))
    all.push(...group.map((item) => ({ ...item, ...outcome })))
  }
  const visit = await visitOf(looking, { typed: { op, form: withoutRows(form) } })
  const refused = all.filter((one) => one.refused !== undefined)
  const model = visit.form(op)
  return {
    title: inLanguageOf(looking.served.c, () => t(operations[op].summary)),
    lead: <Score done={all.length - refused.length} refused={refused.length} />,
    body: (
      <>
        <Told outcomes={all} />
        {refused.length > 0 && model ? <Ask of={model} items={refused} cancel={pathOf(looking.served)} /> : null}
        <p>
          <LinkButton href={pathOf(looking.served)} label="Back to the list" />
        </p>
      </>
    ),
  }
}

const Score = (values: { done: number; refused: number }) => <>{t('{done} done, {refused} refused', values)}</>

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

/** A double press runs each of them once. */
const keyAt = (form: URLSearchParams, place: number): string | undefined =>
  form.has('_key') ? `${form.get('_key')}-${place}` : undefined

async function outcomeOf(
  looking: Looking,
  op: OperationId,
  form: URLSearchParams,
  group: readonly Item[],
  key: string | undefined,
): Promise<{ refused?: string }> {
  const { served, around, ids } = looking
  const { screens, c, session } = served
  try {
    const { body, query } = await inputOf(served, op, form, around.accountId, rowsTold(looking, op, group))
    const params = paramsOf(op, [...Object.values(ids), group[0]!.id], around.accountId)
    await screens.perform(c, op, { params, query, body, csrf: session.csrf_token, key })
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
