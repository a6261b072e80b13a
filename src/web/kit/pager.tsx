import { count as figure } from './format.ts'
import { withQuery } from './query.ts'
import type { Visit } from './screen.ts'
import { t } from './text.ts'

interface Props {
  readonly visit: Visit
  /** Rows on this page, and on all. */
  readonly count: number
  readonly total: number
  readonly pages: boolean
}

/** Which rows these are, and the way to others. */
export const Pager = ({ visit, count, total, pages }: Props) => {
  const page = Number(visit.query.get('page') ?? 1)
  const size = Number(visit.query.get('per_page') ?? 50)
  const first = pages ? (page - 1) * size + 1 : 1
  const to = (target: number): string => `${visit.path}?${withQuery(visit, { page: String(target) })}`
  if (count === total && page === 1) return null
  return (
    <div class="foot">
      <span>
        {t('{first}–{last} of {total}', {
          first: figure(first),
          last: figure(first + count - 1),
          total: figure(total),
        })}
      </span>
      <span class="actions">
        {pages && page > 1 ? (
          <a class="button" href={to(page - 1)} rel="prev">
            {t('Previous')}
          </a>
        ) : null}
        {pages && page * size < total ? (
          <a class="button" href={to(page + 1)} rel="next">
            {t('Next')}
          </a>
        ) : null}
      </span>
    </div>
  )
}
