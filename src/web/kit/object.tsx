import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { actLabel, actsOf, asksFirst, changesIt } from './acts.ts'
import { LinkButton } from './button.tsx'
import { Cell, valueAt } from './cell.tsx'
import { FactList } from './facts.tsx'
import { FoldedForm } from './fold.tsx'
import { ButtonForm } from './form.tsx'
import { count as figure } from './format.ts'
import { headOf } from './label.ts'
import { ItemCard } from './list.tsx'
import { mostRows } from './pager.tsx'
import type { Answered, Ask, FormModel, Shown, Visit } from './screen.ts'
import { t } from './text.ts'

/** The default page of one object: its fields, related lists, and actions. */
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

/** A page that consists only of its forms. */
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

/** The names and values of an object, nested objects included. */
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
    <FactList
      of={factsOf(of)
        .filter(([field, value]) => !hidden?.includes(field) && !shownAbove.has(field) && !isAside(of, field, value))
        .map(([field, value]) => [t(headOf(field)), <Cell field={field} value={value} now={visit.now} />])}
    />
  </div>
)

/** The page heading shows these. */
const shownAbove: ReadonlySet<string> = new Set(['id', 'status', 'etag'])

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const factsOf = (object: Answered, prefix = ''): [string, unknown][] =>
  Object.entries(object).flatMap(([name, value]): [string, unknown][] =>
    isPlain(value) ? factsOf(value, `${prefix}${name}.`) : [[prefix + name, value]],
  )

/** Fields that only programs need, or that are shown elsewhere. */
const isAside = (of: Answered, field: string, value: unknown): boolean =>
  (/(^|[._])id$/.test(field) && isId(String(value))) || (field === 'name_unicode' && value === of.name)

const isId = (text: string): boolean => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text)

/** The page's further reads, each in a table. */
const Parts = ({ visit }: { visit: Visit }) => (
  <>
    {Object.entries(visit.screen.also ?? {}).map(([name, ask]) =>
      ask.quiet || visit.also[name] === undefined ? null : (
        <Part visit={visit} ask={ask} title={ask.title ?? headOf(name)} data={visit.also[name]} />
      ),
    )}
  </>
)

const Part = ({ visit, ask, title, data }: { visit: Visit; ask: Ask; title: string; data: Answered }) => {
  const { cli }: Declaration = operations[ask.run]
  if (!Array.isArray(data.items))
    return (
      <section class="stack">
        <h2>{t(title)}</h2>
        <Facts visit={visit} of={data} />
      </section>
    )
  return (
    <ItemCard
      visit={visit}
      title={title}
      aside={<Rest visit={visit} ask={ask} read={data.items.length} />}
      items={data.items.slice(0, ask.newest ?? mostRows)}
      columns={ask.columns ?? cli?.columns ?? ['id']}
      to={ask.to}
    />
  )
}

/** Links to the rest, or says that there are more. */
const Rest = ({ visit, ask: { all, newest }, read }: { visit: Visit; ask: Ask; read: number }) =>
  newest !== undefined && read > newest ? (
    <span class="soft">{t('The newest {count}', { count: figure(newest) })}</span>
  ) : (
    <All visit={visit} to={all} />
  )

const All = ({ visit, to }: { visit: Visit; to: string | undefined }) =>
  to === undefined || !visit.has(to) ? null : <a href={visit.href(to)}>{t('Show all')}</a>

function actsIn(visit: Visit): OperationId[] {
  const { acts = {} } = visit.screen
  return actsOf(visit.screen)
    .filter((op) => !acts[op]?.receives && !acts[op]?.many)
    .filter((op) => visit.may(op) && (acts[op]?.when?.(visit) ?? true))
}

const formsIn = (visit: Visit): FormModel[] =>
  actsIn(visit)
    .filter((op) => !asksFirst(op))
    .flatMap((op) => visit.form(op, changesIt(op) ? { value: shownIn(visit, op) } : {}) ?? [])

const shownIn = ({ screen, data }: Visit, op: OperationId): object => screen.acts?.[op]?.value?.(data) ?? data

const Downloads = ({ visit }: { visit: Visit }) => (
  <>
    {(Object.keys(visit.screen.downloads ?? {}) as OperationId[])
      .filter((op) => visit.may(op))
      .map((op) => (
        <LinkButton href={visit.download(op)} label={visit.screen.downloads?.[op] ?? 'Download'} download="" />
      ))}
  </>
)

/** Actions that need only one press. */
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

/** Forms: the first that changes the object is open, the others are collapsed. */
export const Changes = ({ visit }: { visit: Visit }) => {
  const forms = formsIn(visit).filter(({ fields }) => fields.length > 0)
  const first = forms.find(({ op }) => changesIt(op))
  return (
    <>
      {forms.map((form) => (
        <FoldedForm of={form} title={titleOf(visit, form)} open={form === first} />
      ))}
    </>
  )
}

function titleOf({ screen }: Visit, { op, label }: FormModel): string {
  const title = screen.acts?.[op]?.title
  return title ?? (label === 'Save' ? 'Settings' : label)
}

/** Irreversible actions are last, apart, and ask first. */
export const Endings = ({ visit }: { visit: Visit }) => {
  const ends = actsIn(visit).filter(asksFirst)
  if (ends.length === 0) return null
  return (
    <p class="buttons">
      {ends.map((op) => (
        <LinkButton href={`${visit.path}?do=${op}`} label={actLabel(visit.screen, op)} look="danger" asks />
      ))}
    </p>
  )
}
