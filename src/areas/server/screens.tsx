import { settingsPage } from '../../web/kit/pages/object.tsx'
import type { Screen } from '../../web/kit/screen.ts'

export const screens: readonly Screen[] = [
  {
    path: '/settings',
    title: 'Settings',
    shows: 'getSettings',
    view: settingsPage,
    acts: { updateSettings: { done: 'Settings changed.' } },
    nav: { group: 'server', order: 90, beside: ['/license'] },
    find: ['two-factor', 'acme', 'backups', 'retention', 'password age'],
    sections: { whm: { run: 'getWhm', title: 'For billing systems' } },
  },
  {
    path: '/license',
    title: 'License',
    shows: 'getLicense',
    acts: { setLicense: { done: 'License changed.' } },
  },
]
