import { attentionBelow, attentionLooks } from '../../web/kit/attention.tsx'
import type { Screen } from '../../web/kit/screen.ts'
import { dismissing } from './views/notices.tsx'

const page = {
  path: '/notices',
  title: 'Needs attention',
  looks: attentionLooks,
  rowDetails: attentionBelow,
  rowEnd: dismissing,
  empty: 'Nothing needs attention. A failed job or a certificate that ends soon would appear here.',
  find: ['failed', 'problems'],
} as const
const dismissed = { done: 'Dismissed.', label: 'Dismiss' }

export const screens: readonly Screen[] = [
  {
    ...page,
    shows: 'listNoticesForAccount',
    columns: ['name', 'since'],
    acts: { dismissNoticeForAccount: dismissed },
  },
  {
    ...page,
    shows: 'listNotices',
    columns: ['name', 'username', 'since'],
    nav: { group: 'work', order: 5, beside: ['/security', '/alerts', '/alerts/channels'] },
    acts: { dismissNotice: dismissed },
  },
]
