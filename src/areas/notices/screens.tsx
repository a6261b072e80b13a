import type { Screen } from '../../web/kit/screen.ts'
import { noticesPage } from './views/notices.tsx'

const page = { path: '/notices', title: 'Needs attention', view: noticesPage, find: ['failed', 'problems'] } as const

export const screens: readonly Screen[] = [
  {
    ...page,
    of: 'account',
    shows: 'listNoticesForAccount',
    acts: { dismissNoticeForAccount: { done: 'Dismissed.', label: 'Dismiss' } },
  },
  {
    ...page,
    of: 'server',
    shows: 'listNotices',
    nav: { group: 'work', order: 5 },
    acts: { dismissNotice: { done: 'Dismissed.', label: 'Dismiss' } },
  },
]
