import { t } from '../../web/kit/i18n/i18n.ts'
import { objectPage, settingsPage } from '../../web/kit/pages/object.tsx'
import type { Screen } from '../../web/kit/screen.ts'

/** What most servers change. */
const common = [
  'server_contact_email',
  'mail_from',
  'acme_directory_url',
  'acme_contact_email',
  'two_factor_required',
  'backup_hour',
  'default_php_version',
]
/** They are on another page. */
const brand = ['name', 'accent', 'support_url', 'hostname'].map((name) => `brand.${name}`)

export const screens: readonly Screen[] = [
  {
    path: '/settings',
    title: 'Settings',
    shows: 'getSettings',
    view: settingsPage,
    acts: {
      updateSettings: { done: 'Settings changed.', primary: common, omits: brand, title: 'What most servers change' },
    },
    nav: { group: 'server', order: 90, beside: ['/license'] },
    find: ['two-factor', 'acme', 'backups', 'retention', 'password age'],
    sections: { whm: { run: 'getWhm', title: 'For billing systems' } },
  },
  {
    path: '/license',
    title: 'License',
    shows: 'getLicense',
    lead: 'A license without an end does not end. After its end, every change is refused.',
    view: (view) => ({ ...objectPage(view), lead: t(view.screen.lead!) }),
    hidden: ['valid_until'],
    acts: { setLicense: { done: 'License changed.', title: 'End of the license' } },
  },
]
