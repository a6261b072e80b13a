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

const rowOf = ({ seq, id }: Answered): string => String(seq ?? id)

/** Opens the whole object below its row; all would be most of a page. */
export const RowJson = ({ view, of }: { view: ViewContext; of: Answered }) => {
  const isOpen = view.query.get('json') === rowOf(of)
  const href = currentPathWith(view, { json: isOpen ? '' : rowOf(of) })
  return <a href={isOpen ? href : `${href}#json`}>{t(isOpen ? 'Close' : 'Details')}</a>
}

/** The whole object of the row in the address. */
export const jsonBelow = (of: Answered, view: ViewContext) =>
  view.query.get('json') === rowOf(of) ? <Json of={of} open /> : undefined
