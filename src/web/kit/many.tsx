import type { Child } from 'hono/jsx'
import type { OperationId } from '../../contract/index.ts'
import { seen } from '../../shared/say/quote.ts'
import { actLabel, actsOf } from './acts.ts'
import { pattern } from './jsx/written.ts'
import type { Visit } from './screen.ts'
import { t } from './text.ts'

/** The bulk actions on rows. */
export const manyIn = ({ screen, may }: Visit): OperationId[] =>
  actsOf(screen).filter((op) => screen.acts?.[op]?.many && may(op))

/** A list with selectable rows, and the bulk actions on them. */
export const Chosen = ({ visit, children }: { visit: Visit; children?: Child }) => {
  const acts = manyIn(visit)
  if (acts.length === 0) return <div class="card">{children}</div>
  return (
    <form method="post" action={visit.posts.action} class="card" id="many">
      <input type="hidden" name="csrf_token" value={visit.posts.csrf} />
      {children}
      <div class="foot sticky">
        <span>
          <output data-count="_item">0</output> {t('chosen')}
        </span>
        <span class="actions">
          {acts.map((op) => (
            <button type="submit" name="do" value={op}>
              {t(actLabel(visit.screen, op))}…
            </button>
          ))}
        </span>
      </div>
    </form>
  )
}

const box = pattern<'item' | 'label'>(({ item, label }) => (
  <input type="checkbox" name="_item" value={item} aria-label={label} />
))

/** Checkboxes to select rows. */
export function chooser(): (item: string, name: string) => Child {
  const [before = '', after = ''] = t('Choose {name}').split('{name}')
  return (item, name) => box({ item, label: before + seen(name) + after })
}
