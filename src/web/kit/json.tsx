import { visibleJson } from '../../shared/say/quote.ts'
import { t } from './text.ts'

/** The whole of a row, as the API has it. */
export const Json = ({ of }: { of: unknown }) => (
  <details class="json">
    <summary>{t('JSON')}</summary>
    <pre class="log" dir="ltr">
      {visibleJson(of, 2)}
    </pre>
  </details>
)
