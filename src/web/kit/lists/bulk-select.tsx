import type { Child } from 'hono/jsx'
import type { OperationId } from '../../../contract/index.ts'
import { seen } from '../../../shared/command-line/quote.ts'
import { actionLabel, actionsOf } from '../actions.ts'
import { t } from '../i18n/i18n.ts'
import type { ViewContext } from '../screen.ts'

/** The bulk actions on rows. */
export const bulkActionsIn = ({ screen, may }: ViewContext): OperationId[] =>
  actionsOf(screen).filter((op) => screen.acts?.[op]?.many && may(op))

/** A list with selectable rows, and the bulk actions on them. */
export const Chosen = ({ view, children }: { view: ViewContext; children?: Child }) => {
  const acts = bulkActionsIn(view)
  if (acts.length === 0) return <div class="card">{children}</div>
  return (
    <form method="post" action={view.posts.action} class="card" id="many">
      <input type="hidden" name="csrf_token" value={view.posts.csrf} />
      {children}
      <div class="foot sticky">
        <span>
          <output data-count="_item">0</output> {t('selected')}
        </span>
        <span class="actions">
          {acts.map((op) => (
            <button type="submit" name="do" value={op}>
              {t(actionLabel(view.screen, op))}…
            </button>
          ))}
        </span>
      </div>
    </form>
  )
}

/** Checkboxes to select rows. */
export function chooser(): (item: string, name: string) => Child {
  const [before = '', after = ''] = t('Select {name}').split('{name}')
  return (item, name) => <input type="checkbox" name="_item" value={item} aria-label={before + seen(name) + after} />
}
