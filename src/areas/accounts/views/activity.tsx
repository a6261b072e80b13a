import { Happened } from '../../../web/kit/happened.tsx'
import { ListCard } from '../../../web/kit/page.tsx'
import type { Answered, Ask, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'
import { Jobs } from './jobs.tsx'

const day = 24 * 3_600_000
const mostRead = 200
const mostShown = 6

/** The feed is sorted oldest first. */
export const ofLastDay: Ask = {
  run: 'listEventsForAccount',
  asks: (_, now) => ({ since: String(now - day), limit: String(mostRead) }),
}

/** Recent events, with the names of their objects; on quiet and on very busy days the last jobs instead. */
export const Activity = ({ visit }: { visit: Visit }) => {
  const items: readonly Answered[] = visit.also['events']?.items ?? []
  const newest = items.filter(({ type }) => type !== 'job.completed').slice(-mostShown)
  if (newest.length === 0 || items.length === mostRead)
    return <Jobs visit={visit} jobs={visit.also['jobs']} title="Activity" />
  return (
    <ListCard
      title="Activity"
      aside={<a href={visit.href('/activity')}>{t('All')}</a>}
      items={newest.toReversed().map((event) => (
        <>
          <span>
            <Happened event={event} />
          </span>
          <span class="soft">
            <Time at={event.created_at} now={visit.now} />
          </span>
        </>
      ))}
    />
  )
}
