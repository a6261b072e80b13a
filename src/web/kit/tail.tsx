import { LinkButton } from './button.tsx'
import { ListFilter } from './filter.tsx'
import { Actions } from './list.tsx'
import { following, Log } from './log.tsx'
import { refreshed } from './query.ts'
import type { Shown, View, Visit } from './screen.ts'
import { t } from './text.ts'

/** The end of a log that goes on: newest last, narrowed by a text. */
export const tailPage: View = (visit) => ({
  title: t(visit.screen.title),
  actions: <Actions visit={visit} />,
  ...tailOf(visit),
})

const fullPage = 500

function tailOf(visit: Visit): Pick<Shown, 'body' | 'live'> {
  const { items, next, gap } = visit.data
  const lines = [...(gap ? [{ text: t('Lines were lost here.'), tone: 'warn' as const }] : []), ...items]
  return {
    live: following({ visit, lines, cursor: next, goesOn: true, hasMore: items.length >= fullPage }),
    body: (
      <>
        <ListFilter visit={visit} />
        <Log
          lines={lines}
          empty={visit.screen.empty ?? 'Nothing has been written.'}
          aside={<Again visit={visit} />}
          goesOn
        />
      </>
    ),
  }
}

const Again = ({ visit }: { visit: Visit }) => <LinkButton href={refreshed(visit)} label="Refresh" />
