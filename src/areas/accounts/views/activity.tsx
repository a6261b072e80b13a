import { EventSentence } from '../../../web/kit/components/event-sentence.tsx'
import { ListCard } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered, PageQuestion, ViewContext } from '../../../web/kit/screen.ts'
import { Jobs } from './jobs.tsx'

const day = 24 * 3_600_000
const MAX_EVENTS_READ = 200
const MAX_EVENTS_DISPLAYED = 6

/** The feed is sorted oldest first. */
export const ofLastDay: PageQuestion = {
  run: 'listEventsForAccount',
  asks: (_, now) => ({ since: String(now - day), limit: String(MAX_EVENTS_READ) }),
}

/** Recent events, with the names of their objects; on quiet and on very busy days the last jobs instead. */
export const Activity = ({ view }: { view: ViewContext }) => {
  const items: readonly Answered[] = view.sections['events']?.items ?? []
  const newest = items.filter(({ type }) => type !== 'job.completed').slice(-MAX_EVENTS_DISPLAYED)
  if (newest.length === 0 || items.length === MAX_EVENTS_READ)
    return <Jobs view={view} jobs={view.sections['jobs']} title="Activity" />
  return (
    <ListCard
      title="Activity"
      extra={<a href={view.href('/activity')}>{t('All')}</a>}
      items={newest.toReversed().map((event) => (
        <>
          <span>
            <EventSentence event={event} />
          </span>
          <span class="soft">
            <Time at={event.created_at} now={view.now} />
          </span>
        </>
      ))}
    />
  )
}
