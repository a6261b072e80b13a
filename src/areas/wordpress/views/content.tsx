import { listWordpressPlugins, listWordpressThemes, listWordpressUsers } from '../../../contract/wordpress-content.ts'
import { Card } from '../../../web/kit/components/page.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'

const lists = [
  ['plugins', 'Plugins', listWordpressPlugins.cli.columns],
  ['themes', 'Themes', listWordpressThemes.cli.columns],
  ['users', 'Users of the site', listWordpressUsers.cli.columns],
] as const

/** What the site's own WordPress answers, or why it does not. */
export const contentPage = (view: ViewContext): PageView => ({
  title: t(view.screen.title),
  body: (
    <>
      {lists.map(([name, title, columns]) => {
        const { items, refused } = view.sections[name] ?? {}
        if (refused !== undefined)
          return (
            <Card title={title}>
              <p class="pad soft">{t(refused)}</p>
            </Card>
          )
        return items === undefined ? null : <ItemCard view={view} title={title} items={items} columns={columns} />
      })}
    </>
  ),
})
