import { Day } from '../../web/kit/components/time.tsx'
import { t } from '../../web/kit/i18n/i18n.ts'
import { settingsPage } from '../../web/kit/pages/object.tsx'
import type { PageView, Screen, ViewContext } from '../../web/kit/screen.ts'

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
/** Set once, on few servers: by the command line. */
const omitted = [...brand, 'waf_default']

/** Whether it is valid, until when, and what its end means. */
const licensePage = (view: ViewContext): PageView => {
  const { valid, valid_until } = view.data
  return {
    ...settingsPage(view),
    status: valid ? 'valid' : 'expired',
    lead: (
      <>
        {valid_until === null ? (
          t('It does not expire, as no date is set.')
        ) : (
          <>
            {t(valid ? 'Valid until' : 'Expired on')} <Day at={valid_until} />.
          </>
        )}{' '}
        {t('After its end every change is refused. Sites, mail and databases go on.')}
      </>
    ),
  }
}

export const screens: readonly Screen[] = [
  {
    path: '/settings',
    title: 'Settings',
    shows: 'getSettings',
    view: settingsPage,
    acts: {
      updateSettings: { done: 'Settings changed.', primary: common, omits: omitted, title: 'What most servers change' },
    },
    nav: { group: 'server', order: 90, beside: ['/license'] },
    find: ['two-factor', 'acme', 'backups', 'retention', 'password age'],
    sections: { whm: { run: 'getWhm', title: 'For billing systems' } },
  },
  {
    path: '/license',
    title: 'License',
    shows: 'getLicense',
    view: licensePage,
    acts: { setLicense: { done: 'License changed.', title: 'End of the license' } },
  },
]
