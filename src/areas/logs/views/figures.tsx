import type { Child } from 'hono/jsx'
import { Chart, type Point } from '../../../web/kit/components/chart.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { bytes, count, day, limitMegabytes, megabytes, span } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Actions, Empty, ItemCard } from '../../../web/kit/lists/list.tsx'
import type { Answered, PageView, View, ViewContext } from '../../../web/kit/screen.ts'
import { type Span, Spans, spanIn } from './spans.tsx'

/** An account's usage: disk, files, traffic, CPU and memory. */
export const usagePage: View = (view) => {
  const { data, sections, now } = view
  const { disk_mb, inodes, measured_at } = sections['usage'] ?? {}
  const items = spanIn(view.query) === '24h' ? data.items.slice(-24) : data.items
  const of = (field: string): Point[] => pointsOf(view, items, field)
  const charts = (
    <>
      <Chart
        title={t('Disk')}
        points={of('disk_mb')}
        say={megabytes}
        limit={disk_mb?.limit}
        sayLimit={limitMegabytes}
      />
      <Chart title={t('Files and directories')} points={of('inodes')} say={count} limit={inodes?.limit} />
      <Chart title={t('CPU time')} points={of('cpu_s')} say={(seconds) => span(seconds * 1000)} />
      <Chart title={t('Memory')} points={of('memory_mb')} say={megabytes} />
      <Chart title={t('Traffic')} points={trafficOf(sections['traffic'])} say={bytes} />
    </>
  )
  return {
    ...charted(view, ['24h', '31d', '400d'], charts),
    lead: measured_at === undefined ? undefined : <Age at={measured_at} now={now} />,
  }
}

/** Charts over a span of time, and the rest of the answer. */
const charted = (view: ViewContext, spans: readonly Span[], charts: Child, more?: Child): PageView => ({
  title: t(view.screen.title),
  actions: <Actions view={view} />,
  body: (
    <>
      <Spans view={view} of={spans} />
      {view.data.items.length === 0 ? <Empty view={view} /> : null}
      <div class="charts">{charts}</div>
      {more}
    </>
  ),
})

const Age = ({ at, now }: { at: number; now: number }) => (
  <>
    {t('Measured')} <Time at={at} now={now} />
  </>
)

/** Figures that the host cannot measure have no points. */
const pointsOf = (view: ViewContext, items: readonly Answered[], field: string): Point[] =>
  items
    .filter((item) => item[field] !== undefined)
    .map((item) => ({ label: labelOf(view, item.at), value: item[field] }))

const labelOf = ({ query }: ViewContext, at: number): string =>
  spanIn(query) === '24h' ? `${new Date(at).toISOString().slice(11, 16)} UTC` : day(at)

const dayLabel = ({ day: of }: Answered): string => day(Date.parse(of))

const trafficOf = (traffic: Answered): Point[] =>
  (traffic?.items ?? []).map((item: Answered) => ({
    label: dayLabel(item),
    value: item.web_in + item.web_out + item.ftp + item.mail,
  }))

const byDay = (items: readonly Answered[], field: string): Point[] =>
  items.map((item) => ({ label: dayLabel(item), value: item[field] }))

interface Figure {
  readonly field: string
  readonly title: string
  readonly say: (value: number) => string
}

const daysPage =
  (figures: readonly Figure[], more: (view: ViewContext) => Child = () => null): View =>
  (view) => {
    const charts = figures.map(({ field, title, say }) => (
      <Chart title={t(title)} points={byDay(view.data.items, field)} say={say} />
    ))
    return charted(view, ['31d', '400d'], charts, more(view))
  }

export const trafficPage = daysPage([
  { field: 'web_out', title: 'Sent by sites', say: bytes },
  { field: 'web_in', title: 'Received by sites', say: bytes },
  { field: 'mail', title: 'Mail', say: bytes },
  { field: 'ftp', title: 'FTP', say: bytes },
])

const tops = [
  ['paths', 'path', 'Pages'],
  ['referrers', 'referrer', 'Where visitors come from'],
  ['statuses', 'status', 'Answers'],
] as const

const topsOf = (view: ViewContext): Child =>
  tops
    .filter(([list]) => view.data.top[list].length > 0)
    .map(([list, field, title]) => (
      <ItemCard view={view} title={title} items={view.data.top[list]} columns={[field, 'requests']} />
    ))

export const visitorsPage = daysPage(
  [
    { field: 'visitors', title: 'Visitors', say: count },
    { field: 'requests', title: 'Requests', say: count },
    { field: 'bytes', title: 'Sent', say: bytes },
    { field: 'bots', title: 'Requests of bots', say: count },
  ],
  topsOf,
)
