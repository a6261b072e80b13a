import { LinkButton } from '../../../web/kit/components/button.tsx'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { ViewContext } from '../../../web/kit/screen.ts'

/** The next page begins where this one ends: pages are not numbered, as messages come and go meanwhile. */
export const Foot = ({ view, total }: { view: ViewContext; total?: string }) => (
  <div class="foot">
    {total === undefined ? null : <span>{total}</span>}
    <span class="actions">
      {view.query.has('after') ? <LinkButton href={currentPathWith(view, { after: '' })} label="First page" /> : null}
      {view.data.next ? (
        <LinkButton href={currentPathWith(view, { after: view.data.next })} label="Next" rel="next" />
      ) : null}
    </span>
  </div>
)

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
