import { isId } from '../../../contract/common.ts'
import { type OperationId, operations } from '../../../contract/index.ts'
import type { Declaration } from '../../../contract/operation.ts'
import { actionLabel, actionsOf, asksFirst, changesIt } from '../actions.ts'
import { LinkButton } from '../components/button.tsx'
import { Cell, isLimit, valueAt } from '../components/cell.tsx'
import { FactList } from '../components/description-list.tsx'
import { FoldedForm } from '../components/fold.tsx'
import { count as figure } from '../format/format.ts'
import { ButtonForm } from '../forms/form.tsx'
import { t } from '../i18n/i18n.ts'
import { headOf } from '../i18n/label.ts'
import { ItemCard } from '../lists/list.tsx'
import { MAX_PAGE_SIZE } from '../lists/pager.tsx'
import type { Answered, FormModel, PageQuestion, PageView, ViewContext } from '../screen.ts'

/** The default page of one object: its fields, related lists, and actions. */
export function objectPage(view: ViewContext): PageView {
  const { screen, data } = view
  const named = screen.name === undefined ? undefined : valueAt(data, screen.name)
  return {
    title: named === undefined || named === '' ? t(screen.title) : String(named),
    ...(named !== undefined && named !== '' && { machine: true as const }),
    status: data.status ?? data.outcome,
    actions: <Buttons view={view} />,
    body: (
      <>
        <Facts view={view} />
        <Parts view={view} />
        <Changes view={view} />
        <Endings view={view} />
      </>
    ),
  }
}

/** A page that consists only of its forms. */
export const settingsPage = (view: ViewContext): PageView => ({
  title: t(view.screen.title),
  lead: view.screen.lead && t(view.screen.lead),
  actions: <Buttons view={view} />,
  body: (
    <>
      <Changes view={view} />
      <Parts view={view} />
      <Endings view={view} />
    </>
  ),
})

/** The names and values of an object, nested objects included. */
export const Facts = ({
  view,
  of = view.data,
  hidden = view.screen.hidden,
}: {
  view: ViewContext
  of?: Answered
  hidden?: readonly string[] | undefined
}) => (
  <div class="card">
    <FactList
      of={(of === view.data ? factsWithLimits(view) : factsOf(of))
        .filter(
          ([field, value]) => !hidden?.includes(field) && !HEADER_FIELDS.has(field) && !isSecondary(of, field, value),
        )
        .map(([field, value]) => [t(headOf(field)), <Cell field={field} value={value} now={view.now} />])}
    />
  </div>
)

/** The page heading shows these. */
const HEADER_FIELDS: ReadonlySet<string> = new Set(['id', 'status', 'etag'])

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const factsOf = (object: Answered, prefix = ''): [string, unknown][] =>
  Object.entries(object).flatMap(([name, value]): [string, unknown][] =>
    isPlain(value) ? factsOf(value, `${prefix}${name}.`) : [[prefix + name, value]],
  )

/** Its fields, with the limits that it does not have. */
export const factsWithLimits = (view: ViewContext): [string, unknown][] => [
  ...factsOf(view.data),
  ...absentLimits(view),
]

/** The limits that the object does not have. */
function absentLimits({ screen, data }: ViewContext): [string, unknown][] {
  const { answer }: Declaration = operations[screen.shows]
  const names = answer && 'shape' in answer ? Object.keys(answer.shape as object) : []
  return names.filter((name) => isLimit(name) && !Object.hasOwn(data, name)).map((name) => [name, undefined])
}

/** Fields that only programs need, or that are shown elsewhere. */
const isSecondary = (of: Answered, field: string, value: unknown): boolean =>
  (/(^|[._])id$/.test(field) && isId(value)) || (field === 'name_unicode' && value === of.name)

/** The page's further reads, each in a table. */
const Parts = ({ view }: { view: ViewContext }) => (
  <>
    {Object.entries(view.screen.sections ?? {}).map(([name, ask]) =>
      ask.quiet || view.sections[name] === undefined ? null : (
        <Part view={view} ask={ask} title={ask.title ?? headOf(name)} data={view.sections[name]} />
      ),
    )}
  </>
)

const Part = ({ view, ask, title, data }: { view: ViewContext; ask: PageQuestion; title: string; data: Answered }) => {
  const { cli }: Declaration = operations[ask.run]
  if (!Array.isArray(data.items))
    return (
      <section class="stack">
        <h2>{t(title)}</h2>
        <Facts view={view} of={data} />
      </section>
    )
  return (
    <ItemCard
      view={view}
      title={title}
      extra={<Rest view={view} ask={ask} read={data.items.length} />}
      items={data.items.slice(0, ask.newest ?? MAX_PAGE_SIZE)}
      columns={ask.columns ?? cli?.columns ?? ['id']}
      to={ask.to}
    />
  )
}

/** Links to the rest, or says that there are more. */
const Rest = ({ view, ask: { all, newest }, read }: { view: ViewContext; ask: PageQuestion; read: number }) =>
  newest !== undefined && read > newest ? (
    <span class="soft">{t('The newest {count}', { count: figure(newest) })}</span>
  ) : (
    <All view={view} to={all} />
  )

const All = ({ view, to }: { view: ViewContext; to: string | undefined }) =>
  to === undefined || !view.has(to) ? null : <a href={view.href(to)}>{t('Show all')}</a>

function actsIn(view: ViewContext): OperationId[] {
  const { acts = {} } = view.screen
  return actionsOf(view.screen)
    .filter((op) => !acts[op]?.upload && !acts[op]?.many)
    .filter((op) => view.may(op) && (acts[op]?.when?.(view) ?? true))
}

const formsIn = (view: ViewContext): FormModel[] =>
  actsIn(view)
    .filter((op) => !asksFirst(op))
    .flatMap((op) => view.form(op, changesIt(op) ? { value: formValue(view, op) } : {}) ?? [])

const formValue = ({ screen, data }: ViewContext, op: OperationId): object => screen.acts?.[op]?.value?.(data) ?? data

const Downloads = ({ view }: { view: ViewContext }) => (
  <>
    {(Object.keys(view.screen.downloads ?? {}) as OperationId[])
      .filter((op) => view.may(op))
      .map((op) => (
        <LinkButton href={view.download(op)} label={view.screen.downloads?.[op] ?? 'Download'} download="" />
      ))}
  </>
)

/** Actions that need only one press. */
export const Buttons = ({ view }: { view: ViewContext }) => (
  <>
    <Downloads view={view} />
    {formsIn(view)
      .filter(({ fields }) => fields.length === 0)
      .map((form) => (
        <ButtonForm of={form} />
      ))}
  </>
)

/** Forms: the first that changes the object is open, the others are collapsed. */
export const Changes = ({ view }: { view: ViewContext }) => {
  const forms = formsIn(view).filter(({ fields }) => fields.length > 0)
  const first = forms.find(({ op }) => changesIt(op))
  return (
    <>
      {forms.map((form) => (
        <FoldedForm of={form} title={titleOf(view, form)} open={form === first} />
      ))}
    </>
  )
}

function titleOf({ screen }: ViewContext, { op, label }: FormModel): string {
  const title = screen.acts?.[op]?.title
  return title ?? (label === 'Save' ? 'Settings' : label)
}

/** Irreversible actions are last, apart, and ask first. */
export const Endings = ({ view }: { view: ViewContext }) => {
  const ends = actsIn(view).filter(asksFirst)
  const reasonFor = (op: OperationId) => view.screen.acts?.[op]?.blocked?.(view)
  const reasons = ends.flatMap((op) => reasonFor(op) ?? [])
  const offered = ends.filter((op) => reasonFor(op) === undefined)
  return (
    <>
      {reasons.map((reason) => (
        <p class="soft">{reason}</p>
      ))}
      {offered.length === 0 ? null : (
        <p class="buttons">
          {offered.map((op) => (
            <LinkButton href={`${view.path}?do=${op}`} label={actionLabel(view.screen, op)} look="danger" asks />
          ))}
        </p>
      )}
    </>
  )
}
