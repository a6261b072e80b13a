import { LinkButton } from '../../../web/kit/components/button.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Foot } from '../../../web/kit/lists/foot.tsx'
import { Empty, ItemTable } from '../../../web/kit/lists/list.tsx'
import type { Answered, View, ViewContext } from '../../../web/kit/screen.ts'

const domainIn = ({ names }: ViewContext): string => names['domain']!

/** What the firewall of a site found. */
export const hitsPage: View = (view) => ({
  title: t(view.screen.title),
  lead: view.screen.lead && t(view.screen.lead),
  actions: <LinkButton href={view.href('/domains/{domain}/waf', { domain: domainIn(view) })} label="Exceptions" />,
  body:
    view.data.items.length === 0 ? (
      <Empty view={view} />
    ) : (
      <>
        <ItemTable view={view} caption={view.screen.title} items={view.data.items} columns={view.screen.columns!} />
        <Foot view={view} />
      </>
    ),
})

/** The form of an exception, filled in. */
export function allowButton({ rule_id, path }: Answered, view: ViewContext) {
  if (!view.may('createWafException')) return null
  const at = /^\/[A-Za-z0-9._~/-]*$/.test(path) ? { path } : {}
  const fields = { do: 'createWafException', rule_id, ...at }
  return (
    <LinkButton href={view.href('/domains/{domain}/waf/new', { domain: domainIn(view) }, fields)} label="Allow here" />
  )
}
