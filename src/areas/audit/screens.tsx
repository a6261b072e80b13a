import type { Screen } from '../../web/kit/screen.ts'
import { auditPage } from './views/audit.tsx'

const columns = ['at', 'operation', 'actor.name', 'via', 'username', 'token.name', 'address']
const shared = {
  title: 'Audit',
  view: auditPage,
  empty: 'Nothing was changed yet.',
  find: ['who changed what', 'history'],
}

export const screens: readonly Screen[] = [
  { ...shared, path: '/audit', of: 'server', shows: 'listAudit', columns, nav: { group: 'work', order: 30 } },
  {
    ...shared,
    path: '/activity/audit',
    of: 'account',
    shows: 'listAuditForAccount',
    columns: columns.filter((name) => name !== 'username'),
  },
]
