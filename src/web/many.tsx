import { type OperationId, operationList, operations } from '../contract/index.ts'
import { notFound, Problem } from '../contract/problem.ts'
import { readIfThere } from './also.ts'
import { inputOf } from './forms.ts'
import { LinkButton } from './kit/button.tsx'
import { Chip } from './kit/chip.tsx'
import { Asking } from './kit/confirm.tsx'
import { ButtonForm } from './kit/form.tsx'
import { Machine } from './kit/machine.tsx'
import type { Answered, Back, FormModel, Refusal, Rows, Shown, Visit } from './kit/screen.ts'
import { Table } from './kit/table.tsx'
import { t } from './kit/text.ts'
import { type Looking, paramsFor } from './looking.ts'
import { json, objectIn, run } from './served.ts'
import { visitOf } from './visit.ts'

export interface Item {
  readonly id: string
  readonly name: string
}

type Outcome = Item & Ended

/** How one change ended: what was created, or why it was refused. */
interface Ended {
  readonly refused?: string
  readonly made?: string
}

const most = 100

/** The selected rows, with their names. */
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

/** A row's name comes from the read of a single member, or from the list if there is none. */
async function namerFor(looking: Looking, op: OperationId): Promise<Namer> {
  const { acts, shows, name = 'id' } = looking.place.screen
  const { rows } = acts?.[op] ?? {}
  if (rows) return rows.name
  const read = memberRead(shows)
  const found = (op: OperationId, item?: string) =>
    readIfThere(looking.served, op, { params: paramsFor(looking, op, item) })
  if (read) return async (id) => String((await found(read, id))?.[name] ?? id)
  const { items = [] } = (await found(shows)) ?? {}
  const names = new Map<string, string>(items.map((item: Answered) => [item.id, String(item[name])]))
  return (id) => names.get(id) ?? id
}

/** The read of one member of a list. */
function memberRead(list: OperationId): OperationId | undefined {
  const { path } = operations[list]
  return operationList.find((op) => op.method === 'get' && op.path.startsWith(`${path}/{`) && op.path.endsWith('}'))
    ?.id as OperationId | undefined
}

/** The operation, and the rows to run it on. */
export interface Many {
  readonly looking: Looking
  readonly op: OperationId
  readonly form: URLSearchParams
  readonly items: readonly Item[]
}

/** Asks first, listing the selected names; then runs each change separately, and reports each outcome. */
export const manyPage = (many: Many, refusal: Refusal | undefined): Promise<() => Shown> =>
  many.form.has('_yes') && !refusal ? outcomes(many) : asking(many, refusal)

async function asking({ looking, op, form, items }: Many, refusal: Refusal | undefined): Promise<() => Shown> {
  const visit = await visitOf(looking, { typed: { op, form: withoutRows(form) }, refusal })
  const model = visit.form(op)
  if (!model) throw notFound('action')
  return () => ({ title: t(model.label), body: <AskFirst of={model} items={items} cancel={visit.path} /> })
}

/** The fields typed for all rows. */
function withoutRows(form: URLSearchParams): URLSearchParams {
  const typed = new URLSearchParams(form)
  typed.delete('_item')
  return typed
}

const AskFirst = ({ of, items, cancel }: { of: FormModel; items: readonly Item[]; cancel: string }) => (
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

async function outcomes(many: Many): Promise<() => Shown> {
  const { looking, op, form } = many
  const all: Outcome[] = []
  for (const [place, group] of groupsOf(many).entries()) {
    const outcome = await outcomeOf(many, group, keyAt(form, place))
    all.push(...group.map((item) => ({ ...item, ...outcome })))
  }
  const visit = await visitOf(looking, { typed: { op, form: withoutRows(form) } })
  const refused = all.filter((one) => one.refused !== undefined)
  const made = all.flatMap((one) => one.made ?? [])
  const model = visit.form(op)
  return () => ({
    title: t(operations[op].summary),
    lead: <Score done={all.length - refused.length} refused={refused.length} />,
    body: (
      <>
        <Told outcomes={all} />
        <TakeAllBack visit={visit} back={visit.screen.acts?.[op]?.back} made={made} />
        {refused.length > 0 && model ? <AskFirst of={model} items={refused} cancel={visit.path} /> : null}
        <p>
          <LinkButton href={visit.path} label="Back to the list" />
        </p>
      </>
    ),
  })
}

/** Undoes a bulk change with one press, if the page that undoes it accepts many rows. */
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

const rowsOf = ({ looking, op }: Many): Rows | undefined => looking.place.screen.acts?.[op]?.rows

/** The rows of each change: one each, or all together. */
const groupsOf = (many: Many): (readonly Item[])[] =>
  rowsOf(many)?.together ? [many.items] : many.items.map((item) => [item])

/** A double press runs each change once. */
const keyAt = (form: URLSearchParams, place: number): string | undefined =>
  form.has('_key') ? `${form.get('_key')}-${place}` : undefined

async function outcomeOf(many: Many, group: readonly Item[], key: string | undefined): Promise<Ended> {
  const { looking, op, form } = many
  const ids = group.map(({ id }) => id)
  const told = (typed: Record<string, unknown>) => rowsOf(many)?.told(ids, typed) ?? typed
  try {
    const { body, query } = await inputOf(looking.served, op, form, looking.around.accountId, told)
    const answer = await run(looking.served, op, { params: paramsFor(looking, op, ids[0]), query, body, key })
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
      caption="What was done"
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
