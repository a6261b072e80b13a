import { t } from '../../../web/kit/i18n/i18n.ts'
import type { ViewContext } from '../../../web/kit/screen.ts'

/** The nodes whose messages are missing. */
export const Missing = ({ view: { data } }: { view: ViewContext }) =>
  data.unreachable ? (
    <p class="note">
      {t('These nodes could not be asked: {nodes}', {
        nodes: data.unreachable.map(({ node }: { node: string }) => node).join(', '),
      })}
    </p>
  ) : null

/** A second field for an address in the form above a list. */
export const AddressInput = ({ view, name, label }: { view: ViewContext; name: string; label: string }) => (
  <input
    type="search"
    name={name}
    value={view.query.get(name) ?? ''}
    aria-label={t(label)}
    placeholder={t(label)}
    autocapitalize="none"
    spellcheck={false}
  />
)
