import { LinkButton } from '../components/button.tsx'
import { currentPathWith } from '../format/query.ts'
import type { ViewContext } from '../screen.ts'

/** The next page begins where this one ends: pages are not numbered, as rows come and go meanwhile. */
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
