import { visibleJson } from '../../../shared/command-line/quote.ts'
import { currentPathWith } from '../format/query.ts'
import { t } from '../i18n/i18n.ts'
import type { Answered, ViewContext } from '../screen.ts'

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
export const RowJson = ({ view, of }: { view: ViewContext; of: Answered }) => {
  const row = String(of.seq ?? of.id)
  if (view.query.get('json') === row) return <Json of={of} open />
  return <a href={`${currentPathWith(view, { json: row })}#json`}>{t('JSON')}</a>
}
