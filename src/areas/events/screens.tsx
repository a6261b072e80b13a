import { MAX_PAGE_SIZE } from '../../web/kit/lists/pager.tsx'
import type { Screen } from '../../web/kit/screen.ts'
import { eventsPage } from './views/events.tsx'

const hour = 3_600_000

/** The last hours of the feed, from its end: as `panel events list` reads it. */
const within =
  (hours: number): NonNullable<Screen['asks']> =>
  (query, now) => ({
    limit: String(MAX_PAGE_SIZE),
    order: 'desc',
    after: '',
    since: String(now - (Number(query.get('hours')) || hours) * hour),
  })

const empty = 'Nothing has happened in this time.'
const find = ['feed', 'history', 'what happened']

export const screens: readonly Screen[] = [
  {
    path: '/events',
    title: 'Events',
    shows: 'listEvents',
    asks: within(24),
    view: eventsPage,
    sections: {
      resellers: { run: 'listResellers', query: { per_page: '200' }, fields: ['id', 'username'], quiet: true },
    },
    nav: { group: 'work', order: 20 },
    empty,
    find,
  },
  {
    path: '/activity',
    title: 'Activity',
    shows: 'listEventsForAccount',
    asks: within(168),
    view: eventsPage,
    nav: { group: 'account', order: 80, beside: ['/jobs', '/activity/audit', '/notices'] },
    empty,
    find,
  },
]
