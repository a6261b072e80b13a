import { type OperationId, operationList, operations } from '../../contract/index.ts'
import { notFound, Problem } from '../../contract/problem.ts'
import { LinkButton } from '../kit/components/button.tsx'
import { Chip } from '../kit/components/chip.tsx'
import { Code } from '../kit/components/code.tsx'
import { Asking } from '../kit/forms/confirm.tsx'
import { ButtonForm } from '../kit/forms/form.tsx'
import { t } from '../kit/i18n/i18n.ts'
import { Table } from '../kit/lists/table.tsx'
import type { Answered, FormModel, FormRefusal, PageView, Rows, UndoAction, ViewContext } from '../kit/screen.ts'
import { readIfThere } from '../pages/extra-reads.ts'
import { type PageRequest, paramsFor } from '../pages/page-request.ts'
import { viewContextOf } from '../pages/view-context.ts'
import { json, objectIn, run } from '../panel-request.ts'
import { inputOf } from './operation-form.ts'

export interface Item {
  readonly id: string
  readonly name: string
}

type BulkOutcome = Item & BulkResult

/** How one change ended: what was created, or why it was refused. */
interface BulkResult {
  readonly refused?: string
  readonly made?: string
}

const MAX_ITEMS = 100

/** The selected rows, with their names. */
export async function itemsIn(page: PageRequest, op: OperationId, form: URLSearchParams): Promise<Item[]> {
  const ids = [...new Set(form.getAll('_item'))]
  if (ids.length === 0) throw new Problem('validation', 'Select at least one row.')
  if (ids.length > MAX_ITEMS) throw new Problem('validation', `Select at most ${MAX_ITEMS} rows.`)
  const named = await namerFor(page, op)
  const items: Item[] = []
  for (const id of ids) items.push({ id, name: await named(id) })
  return items
}

type Namer = (id: string) => string | Promise<string>

/** A row's name comes from the read of a single member, or from the list if there is none. */
async function namerFor(page: PageRequest, op: OperationId): Promise<Namer> {
  const { acts, shows, name = 'id' } = page.match.screen
  const { rows } = acts?.[op] ?? {}
  if (rows) return rows.name
  const read = memberRead(shows)
  const found = (op: OperationId, item?: string) => readIfThere(page.request, op, { params: paramsFor(page, op, item) })
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
  readonly page: PageRequest
  readonly op: OperationId
  readonly form: URLSearchParams
  readonly items: readonly Item[]
}

/** Asks first, listing the selected names; then runs each change separately, and reports each outcome. */
export const bulkPage = (many: Many, refusal: FormRefusal | undefined): Promise<() => PageView> =>
  many.form.has('_yes') && !refusal ? outcomes(many) : asking(many, refusal)

async function asking({ page, op, form, items }: Many, refusal: FormRefusal | undefined): Promise<() => PageView> {
  const view = await viewContextOf(page, { typed: { op, form: withoutRows(form) }, refusal })
  const model = view.form(op)
  if (!model) throw notFound('action')
  return () => ({ title: t(model.label), body: <AskFirst of={model} items={items} cancel={view.path} /> })
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
        <Code text={name} />
      </li>
    ))}
  </ul>
)

async function outcomes(many: Many): Promise<() => PageView> {
  const { page, op, form } = many
  const all: BulkOutcome[] = []
  for (const [match, group] of groupsOf(many).entries()) {
    const outcome = await outcomeOf(many, group, keyAt(form, match))
    all.push(...group.map((item) => ({ ...item, ...outcome })))
  }
  const view = await viewContextOf(page, { typed: { op, form: withoutRows(form) } })
  const refused = all.filter((one) => one.refused !== undefined)
  const made = all.flatMap((one) => one.made ?? [])
  const model = view.form(op)
  const act = view.screen.acts?.[op]
  const isTogether = act?.rows?.together === true
  return () => ({
    title: t(isTogether && refused.length === 0 ? act!.done : operations[op].summary),
    ...(isTogether ? {} : { lead: <Score done={all.length - refused.length} refused={refused.length} /> }),
    body: (
      <>
        <Outcomes outcomes={all} />
        <TakeAllBack view={view} back={view.screen.acts?.[op]?.undoWith} made={made} />
        {refused.length > 0 && model ? <AskFirst of={model} items={refused} cancel={view.path} /> : null}
        <p>
          <LinkButton href={view.path} label="Back to the list" />
        </p>
      </>
    ),
  })
}

/** Undoes a bulk change with one press, if the page that undoes it accepts many rows. */
const TakeAllBack = ({
  view,
  back,
  made,
}: {
  view: ViewContext
  back: UndoAction | undefined
  made: readonly string[]
}) => {
  const form = back && made.length > 0 ? view.form(back.op) : undefined
  if (!form || (back?.at === undefined && !view.screen.acts?.[form.op]?.many)) return null
  const action = back?.at === undefined ? form.action : view.href(back.at)
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

const rowsOf = ({ page, op }: Many): Rows | undefined => page.match.screen.acts?.[op]?.rows

/** The rows of each change: one each, or all together. */
const groupsOf = (many: Many): (readonly Item[])[] =>
  rowsOf(many)?.together ? [many.items] : many.items.map((item) => [item])

/** A double press runs each change once. */
const keyAt = (form: URLSearchParams, match: number): string | undefined =>
  form.has('_key') ? `${form.get('_key')}-${match}` : undefined

async function outcomeOf(many: Many, group: readonly Item[], key: string | undefined): Promise<BulkResult> {
  const { page, op, form } = many
  const ids = group.map(({ id }) => id)
  const input = (typed: Record<string, unknown>) => rowsOf(many)?.input(ids, typed) ?? typed
  try {
    const { body, query } = await inputOf(page.request, op, form, page.context.accountId, input)
    const answer = await run(page.request, op, { params: paramsFor(page, op, ids[0]), query, body, key })
    const { id } = objectIn(op, json(answer))
    return id === undefined ? {} : { made: id }
  } catch (error) {
    if (error instanceof Problem) return { refused: error.message }
    throw error
  }
}

const Outcomes = ({ outcomes: rows }: { outcomes: readonly BulkOutcome[] }) => (
  <div class="card">
    <Table
      caption="What was done"
      rows={rows}
      columns={[
        { field: 'name', cell: ({ name }: BulkOutcome) => <Code text={name} /> },
        {
          field: 'outcome',
          cell: ({ refused }: BulkOutcome) =>
            refused === undefined ? <Chip status="done" /> : <Chip status="failed" word="Refused" />,
        },
        { field: 'detail', cell: ({ refused }: BulkOutcome) => <bdi>{refused ?? ''}</bdi> },
      ]}
    />
  </div>
)
