import { t } from '../../../web/kit/i18n/i18n.ts'
import { Pills } from '../../../web/kit/lists/pills.tsx'
import type { ViewContext } from '../../../web/kit/screen.ts'

const oneDay = 86_400_000
const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The selectable periods, in days; only the shortest has hourly figures. */
const spans = { '24h': 2, '31d': 31, '400d': 400 } as const
export type Span = keyof typeof spans

const labels: Readonly<Record<Span, string>> = { '24h': '24 hours', '31d': '31 days', '400d': '400 days' }

export const spanIn = (query: URLSearchParams): Span => {
  const span = query.get('span') ?? ''
  return Object.hasOwn(spans, span) ? (span as Span) : '31d'
}

/** A span's days, unless the address specifies others. */
export function daysOf(query: URLSearchParams, now: number): Record<string, string> {
  if (query.has('from') || query.has('to')) return {}
  return { from: dayAt(now - (spans[spanIn(query)] - 1) * oneDay), to: dayAt(now) }
}

/** Hourly for the last day, otherwise daily. */
export const stepsOf = (query: URLSearchParams, now: number): Record<string, string> =>
  query.has('step') ? {} : { ...daysOf(query, now), step: spanIn(query) === '24h' ? 'hour' : 'day' }

export const Spans = ({ view: { path, query }, of }: { view: ViewContext; of: readonly Span[] }) => (
  <Pills
    label="How far back"
    of={of.map((span) => ({ href: `${path}?span=${span}`, text: t(labels[span]), isNow: span === spanIn(query) }))}
  />
)
