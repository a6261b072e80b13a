import { LinkButton } from '../components/button.tsx'
import { followed } from '../components/log.tsx'
import { refreshed } from '../format/query.ts'
import { t } from '../i18n/i18n.ts'
import { ListFilter } from '../lists/filter.tsx'
import { Actions } from '../lists/list.tsx'
import type { PageView, View, ViewContext } from '../screen.ts'

/** The end of a live log: newest last, filtered by a text. */
export const tailPage: View = (view) => ({
  title: t(view.screen.title),
  actions: <Actions view={view} />,
  ...tailOf(view),
})

const fullPage = 500

function tailOf(view: ViewContext): Pick<PageView, 'body' | 'live'> {
  const { items, next, gap } = view.data
  const lines = [...(gap ? [{ text: t('Lines were lost here.'), tone: 'warn' as const }] : []), ...items]
  const { log, live } = followed({
    view,
    lines,
    cursor: next,
    continues: true,
    hasMore: items.length >= fullPage,
    empty: view.screen.empty ?? 'Nothing has been written.',
    extra: <LinkButton href={refreshed(view)} label="Refresh" />,
  })
  return {
    live,
    body: (
      <>
        <ListFilter view={view} />
        {log}
      </>
    ),
  }
}
