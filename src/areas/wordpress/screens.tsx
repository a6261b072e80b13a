import { listAllWordpress, listWordpress } from '../../contract/wordpress.ts'
import { t } from '../../web/kit/i18n/i18n.ts'
import { listPage } from '../../web/kit/lists/list.tsx'
import { Buttons, objectPage } from '../../web/kit/pages/object.tsx'
import type { PageView, Screen, ViewContext } from '../../web/kit/screen.ts'

const { columns } = listWordpress.cli
const { columns: allColumns } = listAllWordpress.cli

/** The list with a button that looks for sites. */
function siteList(view: ViewContext): PageView {
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

export const screens: readonly Screen[] = [
  {
    path: '/wordpress',
    title: 'WordPress',
    one: 'WordPress site',
    shows: 'listWordpress',
    name: 'domain',
    nav: { group: 'sites', order: 15, feature: 'wordpress' },
    find: ['wp', 'blog', 'cms'],
    columns,
    to: '/wordpress/{id}',
    empty:
      'Here are the WordPress sites of your domains. They are looked for once a day, and when you press the button.',
    view: siteList,
    acts: { scanWordpress: { done: 'Sites are being looked for.', label: 'Look for sites' } },
  },
  {
    path: '/wordpress/{wordpress_site}',
    title: 'WordPress site',
    one: 'WordPress site',
    shows: 'getWordpress',
    name: 'url',
    view: (view) => ({ ...objectPage(view), title: nameOf(view.data), lead: view.data.reason && t(view.data.reason) }),
    hidden: ['reason'],
    acts: {
      updateWordpressSettings: { done: 'Automatic updates changed.', title: 'Automatic updates' },
      deleteWordpress: { done: 'The site is being deleted.', label: 'Delete the site', to: '/wordpress' },
    },
  },
  {
    path: '/wordpress',
    title: 'WordPress',
    shows: 'listAllWordpress',
    columns: allColumns,
    to: '/accounts/{username}/wordpress/{id}',
    empty: 'Here are the WordPress sites of all accounts, as they are found.',
  },
]

/** As the command line names it: `shop.example`, `shop.example/blog`. */
const nameOf = ({ domain, path }: { domain: string; path: string }): string => `${domain}${path === '/' ? '' : path}`
