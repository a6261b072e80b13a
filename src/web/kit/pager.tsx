import { LinkButton, Submit } from './button.tsx'
import { count as figure } from './format.ts'
import { hereWith } from './query.ts'
import type { Visit } from './screen.ts'
import { t } from './text.ts'

interface Props {
  readonly visit: Visit
  /** Rows on this page, and on all pages. */
  readonly count: number
  readonly total: number
  readonly pages?: boolean
  /** The default number of rows per page. */
  readonly usual?: number
  /** A link would lose the changes staged in a form: buttons submit them along. */
  readonly staged?: boolean
}

/** The most rows rendered at once. */
export const mostRows = 200

/** Which rows these are, with links to others. */
export const Pager = ({ visit, count, total, pages = true, usual = 50, staged = false }: Props) => {
  const page = Number(visit.query.get('page') ?? 1)
  const size = Math.min(mostRows, Number(visit.query.get('per_page') ?? usual))
  const first = pages ? (page - 1) * size + 1 : 1
  const values = { first: figure(first), last: figure(first + count - 1), total: figure(total) }
  if (count === total && page === 1) return null
  return (
    <div class="foot">
      <span>{count === 0 ? null : t('{first}–{last} of {total}', values)}</span>
      <span class="actions">
        {pages && page > 1 ? <Way visit={visit} staged={staged} to={page - 1} rel="prev" /> : null}
        {pages && page * size < total ? <Way visit={visit} staged={staged} to={page + 1} rel="next" /> : null}
      </span>
    </div>
  )
}

const labels = { prev: 'Previous', next: 'Next' } as const

interface WayProps extends Pick<Props, 'visit' | 'staged'> {
  readonly to: number
  readonly rel: keyof typeof labels
}

const Way = ({ visit, staged, to, rel }: WayProps) => {
  const address = hereWith(visit, { page: String(to) })
  return staged ? (
    <Submit label={labels[rel]} name="_stage" value="keep" formaction={address} />
  ) : (
    <LinkButton href={address} label={labels[rel]} rel={rel} />
  )
}
