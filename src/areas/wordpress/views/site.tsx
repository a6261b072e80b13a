import { LinkButton } from '../../../web/kit/components/button.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { listPage } from '../../../web/kit/lists/list.tsx'
import { Buttons, objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** The list with a button that looks for sites. */
export function siteList(view: ViewContext): PageView {
  const page = listPage({ ...view, screen: { ...view.screen, acts: {} } })
  return {
    ...page,
    actions: (
      <>
        {page.actions}
        <Buttons view={view} />
      </>
    ),
  }
}

/** A site, with the ways to it and to its own administration. */
export function sitePage(view: ViewContext): PageView {
  const page = objectPage(view)
  const { domain, path, reason, status } = view.data
  return {
    ...page,
    // As the command line names it.
    title: `${domain}${path === '/' ? '' : path}`,
    lead: reason && t(reason),
    actions: (
      <>
        {status === 'missing' ? null : <Links to={view.data} />}
        {status === 'active' ? (
          <LinkButton href={view.href('/wordpress/{id}/content', view.data)} label="Plugins, themes and users" />
        ) : null}
        {page.actions}
      </>
    ),
  }
}

const Links = ({ to: { url, admin_url } }: { to: Answered }) => (
  <>
    <LinkButton href={url} label="Open site" icon="out" rel="noreferrer noopener" />
    <LinkButton href={admin_url} label="Open its administration" icon="out" rel="noreferrer noopener" />
  </>
)
