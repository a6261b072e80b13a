import { listAndForms } from '../../web/kit/lists/list-and-forms.tsx'
import type { Screen } from '../../web/kit/screen.ts'
import { hostPage } from './views/host.tsx'

export const screens: readonly Screen[] = [
  {
    path: '/host',
    title: 'Host',
    shows: 'getHost',
    view: hostPage,
    nav: { group: 'server', order: 10, beside: ['/host/drift', '/host/trash', '/firewall', '/bans'] },
    find: ['health', 'agent', 'services'],
    acts: {
      applyHost: { done: 'The configuration is being applied.', label: 'Apply configuration' },
      verifyHost: { done: 'The services are being asked.', label: 'Test services' },
    },
  },
  {
    path: '/host/drift',
    title: 'Configuration drift',
    shows: 'getHostDiff',
    view: listAndForms,
    empty: 'The host matches the panel.',
  },
  {
    path: '/host/trash',
    title: 'Server trash',
    shows: 'listHostTrash',
    empty:
      'Homes of terminated accounts and mail of deleted mailboxes stay here for a while. Nothing has been deleted.',
  },
]
