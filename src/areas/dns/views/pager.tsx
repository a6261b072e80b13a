import { count as figure } from '../../../web/kit/format.ts'
import { withQuery } from '../../../web/kit/query.ts'
import type { Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

interface Props {
  readonly visit: Visit
  /** A link would lose the changes of the form: its buttons take them along. */
  readonly staged: boolean
}

export const RecordPager = ({ visit, staged }: Props) => {
  const { items, total } = visit.data
  const page = Number(visit.query.get('page') ?? 1)
  const size = Math.min(200, Number(visit.query.get('per_page') ?? 200))
  if (items.length === total) return null
  const first = (page - 1) * size + 1
  const values = { first: figure(first), last: figure(first + items.length - 1), total: figure(total) }
  return (
    <div class="foot">
      <span>{t('{first}–{last} of {total}', values)}</span>
      <span class="actions">
        {page > 1 ? <Way visit={visit} staged={staged} to={page - 1} label="Previous" /> : null}
        {page * size < total ? <Way visit={visit} staged={staged} to={page + 1} label="Next" /> : null}
      </span>
    </div>
  )
}

const Way = ({ visit, staged, to, label }: Props & { to: number; label: string }) => {
  const address = `${visit.path}?${withQuery(visit, { page: String(to) })}`
  return staged ? (
    <button type="submit" name="_stage" value="keep" formaction={address}>
      {t(label)}
    </button>
  ) : (
    <a class="button" href={address}>
      {t(label)}
    </a>
  )
}
