import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { count } from '../../../web/kit/format/format.ts'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Pager } from '../../../web/kit/lists/pager.tsx'
import { Pills } from '../../../web/kit/lists/pills.tsx'
import { Table } from '../../../web/kit/lists/table.tsx'
import { Buttons, Changes, Endings, Facts } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { Checklist } from './checklist.tsx'
import { importName, isUnread } from './name.ts'
import { solvedBy } from './solved-by.tsx'
import { ImportSteps } from './steps.tsx'

const ROWS = '25'

/** The report's own pages, by the address. */
export const reportQuery = (query: URLSearchParams): Readonly<Record<string, string>> => ({
  per_page: ROWS,
  ...(query.get('outcome') && { outcome: query.get('outcome')! }),
  ...(query.get('part') && { part: query.get('part')! }),
  ...(/^[1-9]\d{0,4}$/.test(query.get('page') ?? '') && { page: query.get('page')! }),
})

const turning = new Set(['inspecting', 'queued', 'running', 'syncing', 'removing'])

/** An import: how far it is, what remains, and what comes. */
export function importPage(view: ViewContext): PageView {
  const { data, sections } = view
  const { steps: _, options, counts, error, ...facts } = data
  if (isUnread(data)) return unreadPage(view)
  const steps = <Progress of={data} />
  const checklist = <Checklist items={sections['checklist']?.items ?? []} />
  const report = <ReportCard view={view} report={sections['report']} />
  return {
    title: importName(data),
    machine: true,
    status: data.status,
    lead: error ?? leadOf(data),
    actions: (
      <>
        {data.status === 'inspecting' ? null : (
          <LinkButton href={view.href('/imports/{import}/report', view.names)} label="Report to show" />
        )}
        <Buttons view={view} />
        <Activate view={view} />
      </>
    ),
    live: { continues: turning.has(data.status) },
    parts: { steps },
    body: (
      <>
        {steps}
        {data.status === 'inspecting'
          ? null
          : data.account_id === undefined
            ? [report, checklist]
            : [checklist, report]}
        <Changes view={view} />
        <Facts view={view} of={facts} />
        <Remove view={view} />
      </>
    ),
  }
}

/** An archive that could not be read: why, and the ways out. */
function unreadPage(view: ViewContext): PageView {
  const { steps: _, options, counts, error, ...facts } = view.data
  return {
    title: importName(facts),
    machine: true,
    status: facts.status,
    lead: error?.replace(/^The file(?= )/, facts.source.file === undefined ? t('The archive') : importName(facts)),
    actions: <LinkButton href={view.href('/imports/new')} label="Choose another file" look="main" />,
    live: { continues: false },
    parts: { steps: <div id="steps" hidden /> },
    body: (
      <>
        <Facts view={view} of={facts} />
        <Remove view={view} />
      </>
    ),
  }
}

const Remove = ({ view }: { view: ViewContext }) => (
  <Endings view={{ ...view, screen: { ...view.screen, acts: { deleteImport: view.screen.acts!.deleteImport! } } }} />
)

/** The step that everything before leads to. */
const Activate = ({ view }: { view: ViewContext }) =>
  view.data.status === 'imported' && view.may('activateImport') ? (
    <LinkButton href={currentPathWith(view, { do: 'activateImport' })} label="Activate" look="main" asks />
  ) : null

const leads: Readonly<Record<string, string>> = {
  blocked: 'Conflicts prevent the import: the report says what solves each.',
  ready: 'Nothing has been made yet. Read the report, then run the import.',
  imported: 'The account is complete and held back: nothing leaves it until you activate it.',
}

const leadOf = ({ status }: Answered): string | undefined => leads[status] && t(leads[status])

const Progress = ({ of }: { of: Answered }) => (
  <div class="card" id="steps">
    <ImportSteps of={of} />
  </div>
)

/** A page without actions, for the customer whose account moves. */
export function importReportPage(view: ViewContext): PageView {
  const { main_domain, username, status } = view.sections['import'] ?? {}
  return {
    title: main_domain || username || t('Report'),
    machine: true,
    status,
    body: (
      <>
        <Checklist items={view.sections['checklist']?.items ?? []} plain />
        <ReportCard view={view} report={view.data} plain />
      </>
    ),
  }
}

const outcomes = [
  ['conflict', 'Conflicts', 'conflicts', 'bad'],
  ['not_possible', 'Not possible', 'not_possible', 'warn'],
  ['changed', 'Changed', 'changed', 'turning'],
  ['as_is', 'As it is', 'as_is', 'good'],
] as const

function ReportCard({ view, report, plain }: { view: ViewContext; report: Answered; plain?: true }) {
  if (!report) return null
  const chosen = view.query.get('outcome') ?? ''
  const all = { href: currentPathWith(view, { outcome: '', page: '' }), text: t('All'), isNow: chosen === '' }
  const pills = outcomes.map(([outcome, label, counted]) => ({
    href: currentPathWith(view, { outcome, page: '' }),
    text: (
      <>
        {t(label)} <small>{count(report.counts[counted])}</small>
      </>
    ),
    isNow: chosen === outcome,
  }))
  return (
    <Card title="Report" id="report">
      <div class="pad">
        <Pills label="Outcome" of={[all, ...pills]} />
      </div>
      {report.items.length === 0 ? (
        <p class="pad soft">{t('None yet.')}</p>
      ) : (
        <Table
          caption="Report"
          rows={report.items as Answered[]}
          columns={[
            { field: 'item', long: true, cell: ({ item }) => <Code text={item} /> },
            { field: 'outcome', cell: ({ outcome }) => <Outcome of={outcome} /> },
            { field: 'part', cell: ({ part }) => part },
            { field: 'text', label: 'What', cell: ({ text }) => text },
            // Only those who import can solve anything.
            ...(plain ? [] : [solvedBy(view)]),
          ]}
        />
      )}
      <Pager view={view} count={report.items.length} total={report.total} defaultPageSize={Number(ROWS)} />
    </Card>
  )
}

function Outcome({ of }: { of: string }) {
  const [, label = of, , tone = 'off'] = outcomes.find(([outcome]) => outcome === of) ?? []
  return <Chip status={of} word={label} tone={tone} />
}
