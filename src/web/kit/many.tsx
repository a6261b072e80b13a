import type { Child } from 'hono/jsx'
import type { OperationId } from '../../contract/index.ts'
import { operations } from '../../contract/index.ts'
import type { Visit } from './screen.ts'
import { t } from './text.ts'

/** A list of which some rows can be chosen, and what can be done with those. */
export const Chosen = ({ visit, children }: { visit: Visit; children?: Child }) => {
  const acts = (Object.keys(visit.screen.acts ?? {}) as OperationId[]).filter(
    (op) => visit.screen.acts?.[op]?.many && visit.may(op),
  )
  const [first] = acts
  const csrf = first && visit.form(first)?.csrf
  return (
    <form method="post" action={(first && visit.form(first)?.action) ?? visit.path} class="card" id="many">
      {csrf === undefined ? null : <input type="hidden" name="csrf_token" value={csrf} />}
      {children}
      {acts.length === 0 ? null : (
        <div class="foot sticky">
          <span>
            <output data-count="_item">0</output> {t('chosen')}
          </span>
          <span class="actions">
            {acts.map((op) => (
              <button type="submit" name="do" value={op}>
                {t(visit.screen.acts?.[op]?.label ?? operations[op].summary)}…
              </button>
            ))}
          </span>
        </div>
      )}
    </form>
  )
}
