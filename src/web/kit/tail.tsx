import { LinkButton } from './button.tsx'
import { ListFilter } from './filter.tsx'
import { Actions } from './list.tsx'
import { followed } from './log.tsx'
import { refreshed } from './query.ts'
import type { Shown, View, Visit } from './screen.ts'
import { t } from './text.ts'

/** The end of a live log: newest last, filtered by a text. */
export const tailPage: View = (visit) => ({
  title: t(visit.screen.title),
  actions: <Actions visit={visit} />,
  ...tailOf(visit),
})

const fullPage = 500

function tailOf(visit: Visit): Pick<Shown, 'body' | 'live'> {
  const { items, next, gap } = visit.data
  const lines = [...(gap ? [{ text: t('Lines were lost here.'), tone: 'warn' as const }] : []), ...items]
  const { log, live } = followed({
    visit,
    lines,
    cursor: next,
    goesOn: true,
    hasMore: items.length >= fullPage,
    empty: visit.screen.empty ?? 'Nothing has been written.',
    aside: <LinkButton href={refreshed(visit)} label="Refresh" />,
  })
  return {
    live,
    body: (
      <>
        <ListFilter visit={visit} />
        {log}
      </>
    ),
  }
}
