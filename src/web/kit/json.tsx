import { visibleJson } from '../../shared/say/quote.ts'
import { hereWith } from './query.ts'
import type { Answered, Visit } from './screen.ts'
import { t } from './text.ts'

/** The whole of it, as the API has it. */
export const Json = ({ of, open = false }: { of: unknown; open?: boolean }) => (
  <details class="json" id={open ? 'json' : undefined} open={open}>
    <summary>{t('JSON')}</summary>
    <pre class="log" dir="ltr">
      {visibleJson(of, 2)}
    </pre>
  </details>
)

/** The whole of the row that the address asks for; a way to it for each other, since all of them are most of a page. */
export const RowJson = ({ visit, of }: { visit: Visit; of: Answered }) => {
  const row = String(of.seq ?? of.id)
  if (visit.query.get('json') === row) return <Json of={of} open />
  return <a href={`${hereWith(visit, { json: row })}#json`}>{t('JSON')}</a>
}
