import { visibleJson } from '../../shared/say/quote.ts'
import { hereWith } from './query.ts'
import type { Answered, Visit } from './screen.ts'
import { t } from './text.ts'

/** The whole object, as the API returns it. */
export const Json = ({ of, open = false }: { of: unknown; open?: boolean }) => (
  <details class="json" id={open ? 'json' : undefined} open={open}>
    <summary>{t('JSON')}</summary>
    <pre class="log" dir="ltr">
      {visibleJson(of, 2)}
    </pre>
  </details>
)

/** The whole object for the row in the address; others get a link, since all would be most of a page. */
export const RowJson = ({ visit, of }: { visit: Visit; of: Answered }) => {
  const row = String(of.seq ?? of.id)
  if (visit.query.get('json') === row) return <Json of={of} open />
  return <a href={`${hereWith(visit, { json: row })}#json`}>{t('JSON')}</a>
}
