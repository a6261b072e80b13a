import { t } from '../i18n/i18n.ts'

export interface Point {
  readonly label: string
  readonly value: number
}

interface Props {
  readonly title: string
  readonly points: readonly Point[]
  /** Formats a value with its unit. */
  readonly say: (value: number) => string
  readonly limit?: number | undefined
  /** Formats the limit, if otherwise: as it was typed. */
  readonly sayLimit?: Props['say']
}

const MAX_POINTS = 60
const height = 100

/** A chart drawn on the server, with its data as a table. */
export const Chart = ({ title, points, say, limit, sayLimit = say }: Props) => {
  const visiblePoints = gathered(points)
  const last = points.at(-1)
  if (!last) return null
  const max = Math.max(...visiblePoints.map(({ value }) => value), limit ?? 0, 1)
  return (
    <figure class="card chart">
      <figcaption>
        <b>{title}</b>{' '}
        <span>
          {limit === undefined
            ? say(last.value)
            : t('{used} of {limit}', { used: say(last.value), limit: sayLimit(limit) })}
        </span>
      </figcaption>
      <Plot points={visiblePoints} max={max} limit={limit} label={sentence(title, visiblePoints, say)} />
      <p class="ends">
        <span>{visiblePoints[0]!.label}</span>
        <span>{t('up to {max}', { max: max === limit ? sayLimit(max) : say(max) })}</span>
        <span>{last.label}</span>
      </p>
      <details>
        <summary>{t('Table')}</summary>
        <Figures title={title} points={visiblePoints} say={say} />
      </details>
    </figure>
  )
}

function sentence(title: string, points: readonly Point[], say: Props['say']): string {
  const highest = points.reduce((one, other) => (other.value > one.value ? other : one))
  const [first, last] = [points[0]!, points.at(-1)!]
  return t('{title}: from {first} ({from}) to {last} ({to}), at most {max} ({when}).', {
    title,
    first: say(first.value),
    from: first.label,
    last: say(last.value),
    to: last.label,
    max: say(highest.value),
    when: highest.label,
  })
}

/** At most as many points as can be told apart; of those that coincide, the highest. */
function gathered(points: readonly Point[]): readonly Point[] {
  const size = Math.ceil(points.length / MAX_POINTS)
  if (size <= 1) return points
  return Array.from({ length: Math.ceil(points.length / size) }, (_, place) => {
    const group = points.slice(place * size, (place + 1) * size)
    return { label: group.at(-1)!.label, value: Math.max(...group.map(({ value }) => value)) }
  })
}

interface PlotProps {
  readonly points: readonly Point[]
  readonly max: number
  readonly limit: number | undefined
  readonly label: string
}

const Plot = ({ points, max, limit, label }: PlotProps) => {
  const width = Math.max(points.length - 1, 1)
  const heightOf = (value: number): string => (height - (value / max) * height).toFixed(1)
  const all = points.length === 1 ? [points[0]!, points[0]!] : points
  const curve = all.map(({ value }, place) => `${place} ${heightOf(value)}`).join(' L ')
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
      <path class="area" d={`M 0 ${height} L ${curve} L ${width} ${height} Z`} />
      <path class="curve" d={`M ${curve}`} />
      {limit === undefined ? null : <path class="limit" d={`M 0 ${heightOf(limit)} H ${width}`} />}
    </svg>
  )
}

const Figures = ({ title, points, say }: Pick<Props, 'title' | 'points' | 'say'>) => (
  <table>
    <caption class="visually-hidden">{title}</caption>
    <thead>
      <tr>
        <th scope="col">{t('When')}</th>
        <th scope="col" class="end">
          {title}
        </th>
      </tr>
    </thead>
    <tbody>
      {points.map(({ label, value }) => (
        <tr>
          <th scope="row">{label}</th>
          <td class="end">{say(value)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
