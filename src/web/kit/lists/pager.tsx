import { LinkButton, Submit } from '../components/button.tsx'
import { count as figure } from '../format/format.ts'
import { currentPathWith } from '../format/query.ts'
import { t } from '../i18n/i18n.ts'
import type { ViewContext } from '../screen.ts'

interface Props {
  readonly view: ViewContext
  /** Rows on this page, and on all pages. */
  readonly count: number
  readonly total: number
  readonly pages?: boolean
  /** The default number of rows per page. */
  readonly defaultPageSize?: number
  /** A link would lose the changes staged in a form: buttons submit them along. */
  readonly staged?: boolean
}

/** The most rows rendered at once. */
export const MAX_PAGE_SIZE = 200

/** Which rows these are, with links to others. */
export const Pager = ({ view, count, total, pages = true, defaultPageSize = 50, staged = false }: Props) => {
  const page = Number(view.query.get('page') ?? 1)
  const size = Math.min(MAX_PAGE_SIZE, Number(view.query.get('per_page') ?? defaultPageSize))
  const first = pages ? (page - 1) * size + 1 : 1
  const values = { first: figure(first), last: figure(first + count - 1), total: figure(total) }
  if (count === total && page === 1) return null
  return (
    <div class="foot">
      <span>{count === 0 ? null : t('{first}–{last} of {total}', values)}</span>
      <span class="actions">
        {pages && page > 1 ? <PageLink view={view} staged={staged} to={page - 1} rel="prev" /> : null}
        {pages && page * size < total ? <PageLink view={view} staged={staged} to={page + 1} rel="next" /> : null}
      </span>
    </div>
  )
}

const labels = { prev: 'Previous', next: 'Next' } as const

interface PageLinkProps extends Pick<Props, 'view' | 'staged'> {
  readonly to: number
  readonly rel: keyof typeof labels
}

const PageLink = ({ view, staged, to, rel }: PageLinkProps) => {
  const address = currentPathWith(view, { page: String(to) })
  return staged ? (
    <Submit label={labels[rel]} name="_stage" value="keep" formaction={address} />
  ) : (
    <LinkButton href={address} label={labels[rel]} rel={rel} />
  )
}
