import { Cell, isLimit } from '../../../web/kit/components/cell.tsx'
import { FactList } from '../../../web/kit/components/description-list.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { headOf } from '../../../web/kit/i18n/label.ts'
import { Changes, Endings, factsWithLimits, objectPage } from '../../../web/kit/pages/object.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'

const hidden = new Set(['id', 'feature_list_id', 'owner_id'])

/** A package: its limits first, then everything else that it sets. */
export function packagePage(view: ViewContext): PageView {
  const facts = factsWithLimits(view).filter(([field]) => !hidden.has(field))
  const limits = facts.filter(([field]) => isLimit(field))
  const others = facts.filter(([field]) => !isLimit(field))
  const list = (of: readonly (readonly [string, unknown])[]) => (
    <FactList
      of={of.map(([field, value]) => [t(headOf(field)), <Cell field={field} value={value} now={view.now} />])}
    />
  )
  return {
    ...objectPage(view),
    body: (
      <>
        <div class="two">
          <Card title="Limits">{list(limits)}</Card>
          <Card title="Details">{list(others)}</Card>
        </div>
        <Changes view={view} />
        <Endings view={view} />
      </>
    ),
  }
}
