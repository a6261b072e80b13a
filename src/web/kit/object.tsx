import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { Cell, valueAt } from './cell.tsx'
import { ButtonForm, Form } from './form.tsx'
import { ItemTable } from './list.tsx'
import { Card } from './page.tsx'
import type { Answered, Ask, FormModel, Shown, Visit } from './screen.ts'
import { inWords, t } from './text.ts'

/** The usual page of one object: what it is, what hangs on it, and what can be done with it. */
export function objectPage(visit: Visit): Shown {
  const { screen, data } = visit
  const named = screen.name === undefined ? undefined : valueAt(data, screen.name)
  return {
    title: named === undefined || named === '' ? t(screen.title) : String(named),
    ...(named !== undefined && named !== '' && { machine: true as const }),
    status: data.status ?? data.outcome,
    actions: <Buttons visit={visit} />,
    body: (
      <>
        <Facts visit={visit} />
        <Parts visit={visit} />
        <Changes visit={visit} />
        <Endings visit={visit} />
      </>
    ),
  }
}

/** A page that is nothing but its forms. */
export const settingsPage = (visit: Visit): Shown => ({
  title: t(visit.screen.title),
  actions: <Buttons visit={visit} />,
  body: (
    <>
      <Changes visit={visit} />
      <Parts visit={visit} />
      <Endings visit={visit} />
    </>
  ),
})

/** Names and values of an object, objects in it taken apart. */
export const Facts = ({
  visit,
  of = visit.data,
  hidden = visit.screen.hidden,
}: {
  visit: Visit
  of?: Answered
  hidden?: readonly string[] | undefined
}) => (
  <div class="card">
    <dl class="facts">
      {factsOf(of)
        .filter(([field]) => !hidden?.includes(field) && !shownAbove.has(field) && !isNamedBeside(of, field))
        .map(([field, value]) => (
          <>
            <dt>{t(inWords(field))}</dt>
            <dd>
              <Cell field={field} value={value} now={visit.now} />
            </dd>
          </>
        ))}
    </dl>
  </div>
)

/** The head of the page has them. */
const shownAbove: ReadonlySet<string> = new Set(['id', 'status'])

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const factsOf = (object: Answered, prefix = ''): [string, unknown][] =>
  Object.entries(object).flatMap(([name, value]): [string, unknown][] =>
    isPlain(value) ? factsOf(value, `${prefix}${name}.`) : [[prefix + name, value]],
  )

/** `package_id` beside `package_name`. */
const isNamedBeside = (of: Answered, field: string): boolean =>
  field.endsWith('_id') && of[field.replace(/_id$/, '_name')] !== undefined

/** What else was read, each in a table of its own. */
export const Parts = ({ visit }: { visit: Visit }) => (
  <>
    {Object.entries(visit.screen.also ?? {}).map(([name, ask]) =>
      visit.also[name] === undefined ? null : (
        <Part visit={visit} ask={ask} title={t(ask.title ?? inWords(name))} data={visit.also[name]} />
      ),
    )}
  </>
)

const Part = ({ visit, ask, title, data }: { visit: Visit; ask: Ask; title: string; data: Answered }) => {
  const { cli }: Declaration = operations[ask.run]
  if (!Array.isArray(data.items))
    return (
      <section class="stack">
        <h2>{title}</h2>
        <Facts visit={visit} of={data} />
      </section>
    )
  return (
    <Card title={title} aside={<All visit={visit} to={ask.all} />}>
      {data.items.length === 0 ? (
        <p class="pad soft">{t('None yet.')}</p>
      ) : (
        <ItemTable
          visit={visit}
          caption={title}
          items={data.items.slice(0, 200)}
          columns={ask.columns ?? cli?.columns ?? ['id']}
          to={ask.to}
        />
      )}
    </Card>
  )
}

const All = ({ visit, to }: { visit: Visit; to: string | undefined }) =>
  to === undefined || !visit.has(to) ? null : <a href={visit.href(to)}>{t('Show all')}</a>

const actsIn = (visit: Visit): OperationId[] =>
  (Object.keys(visit.screen.acts ?? {}) as OperationId[]).filter(
    (op) => visit.may(op) && (visit.screen.acts?.[op]?.when?.(visit) ?? true),
  )

const asksFirst = (op: OperationId): boolean => (operations[op] as Declaration).cli?.confirm !== undefined
const changesIt = (op: OperationId): boolean => ['patch', 'put'].includes(operations[op].method)

const formsIn = (visit: Visit): FormModel[] =>
  actsIn(visit)
    .filter((op) => !asksFirst(op))
    .flatMap((op) => visit.form(op, changesIt(op) ? { value: visit.data } : {}) ?? [])

const Downloads = ({ visit }: { visit: Visit }) => (
  <>
    {(Object.keys(visit.screen.downloads ?? {}) as OperationId[])
      .filter((op) => visit.may(op))
      .map((op) => (
        <a class="button" href={visit.download(op)} download="">
          {t(visit.screen.downloads?.[op] ?? 'Download')}
        </a>
      ))}
  </>
)

/** What takes one press. */
export const Buttons = ({ visit }: { visit: Visit }) => (
  <>
    <Downloads visit={visit} />
    {formsIn(visit)
      .filter(({ fields }) => fields.length === 0)
      .map((form) => (
        <ButtonForm of={form} />
      ))}
  </>
)

/** Forms: the one that changes the object stands open, others open when they are wanted. */
export const Changes = ({ visit }: { visit: Visit }) => (
  <>
    {formsIn(visit)
      .filter(({ fields }) => fields.length > 0)
      .map((form) => (
        <details class="card" open={changesIt(form.op) || form.refusal !== undefined}>
          <summary>{t(titleOf(visit, form))}</summary>
          <div class="pad">
            <Form of={form} />
          </div>
        </details>
      ))}
  </>
)

function titleOf({ screen }: Visit, { op, label }: FormModel): string {
  const title = screen.acts?.[op]?.title
  return title ?? (label === 'Save' ? 'Settings' : label)
}

/** What cannot be undone stands at the end, apart, and asks first. */
export const Endings = ({ visit }: { visit: Visit }) => {
  const ends = actsIn(visit).filter(asksFirst)
  if (ends.length === 0) return null
  return (
    <p class="buttons">
      {ends.map((op) => (
        <a class="button danger" href={`${visit.path}?do=${op}`}>
          {t(labelOf(visit, op))}…
        </a>
      ))}
    </p>
  )
}

const labelOf = ({ screen }: Visit, op: OperationId): string => screen.acts?.[op]?.label ?? operations[op].summary
