import { type OperationId, operationList, operations } from '../contract/index.ts'
import { notFound, Problem } from '../contract/problem.ts'
import { readIfThere } from './also.ts'
import { inputOf } from './forms.ts'
import { LinkButton } from './kit/button.tsx'
import { Chip } from './kit/chip.tsx'
import { Asking } from './kit/confirm.tsx'
import { ButtonForm } from './kit/form.tsx'
import { Machine } from './kit/machine.tsx'
import type { Answered, Back, FormModel, Refusal, Shown, Visit } from './kit/screen.ts'
import { Table } from './kit/table.tsx'
import { t } from './kit/text.ts'
import { inLanguageOf } from './language.ts'
import { type Looking, pathOf } from './looking.ts'
import { paramsOf } from './names.ts'
import { json, objectIn } from './served.ts'
import { visitOf } from './visit.ts'

interface Item {
  readonly id: string
  readonly name: string
}

type Outcome = Item & Ended

/** How one change went: what was made, or why it was not. */
interface Ended {
  readonly refused?: string
  readonly made?: string
}

const most = 100

/** What was chosen, by name. */
export async function itemsIn(looking: Looking, op: OperationId, form: URLSearchParams): Promise<Item[]> {
  const ids = [...new Set(form.getAll('_item'))]
  if (ids.length === 0) throw new Problem('validation', 'Choose at least one row.')
  if (ids.length > most) throw new Problem('validation', `Choose at most ${most} rows.`)
  const named = await namerFor(looking, op)
  const items: Item[] = []
  for (const id of ids) items.push({ id, name: await named(id) })
  return items
}

type Namer = (id: string) => string | Promise<string>

/** Rows are called what they are read as one by one, or what the list says where they are not. */
async function namerFor(looking: Looking, op: OperationId): Promise<Namer> {
  const { acts, shows, name = 'id' } = looking.place.screen
  const { rows } = acts?.[op] ?? {}
  if (rows) return rows.name
  const read = memberRead(shows)
  const params = (id: OperationId, ...more: string[]) =>
    paramsOf(id, [...Object.values(looking.ids), ...more], looking.around.accountId)
  if (read)
    return async (id) => String((await readIfThere(looking.served, read, { params: params(read, id) }))?.[name] ?? id)
  const { items = [] } = (await readIfThere(looking.served, shows, { params: params(shows) })) ?? {}
  const names = new Map<string, string>(items.map((item: Answered) => [item.id, String(item[name])]))
  return (id) => names.get(id) ?? id
}

/** What reads one member of a list. */
function memberRead(list: OperationId): OperationId | undefined {
  const { path } = operations[list]
  return operationList.find((op) => op.method === 'get' && op.path.startsWith(`${path}/{`) && op.path.endsWith('}'))
    ?.id as OperationId | undefined
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
  const made = all.flatMap((one) => one.made ?? [])
  const model = visit.form(op)
  return {
    title: inLanguageOf(looking.served.c, () => t(operations[op].summary)),
    lead: <Score done={all.length - refused.length} refused={refused.length} />,
    body: (
      <>
        <Told outcomes={all} />
        <TakeAllBack visit={visit} back={looking.place.screen.acts?.[op]?.back} made={made} />
        {refused.length > 0 && model ? <Ask of={model} items={refused} cancel={pathOf(looking.served)} /> : null}
        <p>
          <LinkButton href={pathOf(looking.served)} label="Back to the list" />
        </p>
      </>
    ),
  }
}

/** What was done to many is taken back by one press, where the page that does it takes many. */
const TakeAllBack = ({ visit, back, made }: { visit: Visit; back: Back | undefined; made: readonly string[] }) => {
  const form = back && made.length > 0 ? visit.form(back.op) : undefined
  if (!form || (back?.at === undefined && !visit.screen.acts?.[form.op]?.many)) return null
  const action = back?.at === undefined ? form.action : visit.href(back.at)
  return (
    <ButtonForm of={{ ...form, action }} label="Undo">
      <input type="hidden" name="_yes" value="1" />
      {made.map((id) => (
        <input type="hidden" name="_item" value={id} />
      ))}
    </ButtonForm>
  )
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
): Promise<Ended> {
  const { served, around, ids } = looking
  const { screens, c, session } = served
  try {
    const { body, query } = await inputOf(served, op, form, around.accountId, rowsTold(looking, op, group))
    const params = paramsOf(op, [...Object.values(ids), group[0]!.id], around.accountId)
    const answer = await screens.perform(c, op, { params, query, body, csrf: session.csrf_token, key })
    const { id } = objectIn(op, json(answer))
    return id === undefined ? {} : { made: id }
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
