import { crud } from '../../web/kit/crud.ts'
import { t } from '../../web/kit/i18n/i18n.ts'
import { accountsWith } from '../../web/kit/lists/accounts-with.tsx'
import { newPackagePage, packagePage } from './views/package.tsx'

const preset = (label: string, name: string, limits: Readonly<Record<string, string>>) => ({
  label,
  fields: { name, ...limits },
})

const limits = ['name', 'disk_quota_mb', 'bw_limit_mb', 'max_email', 'max_sql']

export const screens = crud('listPackages', {
  path: '/packages',
  title: 'Packages',
  one: 'package',
  member: 'package',
  name: 'name',
  nav: { group: 'main', order: 40, beside: ['/feature-lists'] },
  find: ['plan', 'limits', 'quota'],
  keeps: ({ data: { account_count } }) =>
    account_count > 0 ? t('It can be deleted once its accounts have another package.') : undefined,
  empty: 'A package sets the limits of the accounts that have it.',
  add: 'Create a package',
  primary: limits,
  edits: limits,
  views: { one: packagePage, add: newPackagePage },
  presets: [
    preset('Small site', 'small', {
      disk_quota_mb: '2000',
      bw_limit_mb: '50000',
      max_email: '10',
      max_sql: '1',
      max_addon: '0',
    }),
    preset('Shop', 'shop', {
      disk_quota_mb: '10000',
      bw_limit_mb: '200000',
      max_email: '50',
      max_sql: '5',
      max_addon: '2',
    }),
    preset('Agency', 'agency', {
      disk_quota_mb: '50000',
      bw_limit_mb: '1000000',
      max_email: '500',
      max_sql: '50',
      max_addon: '50',
    }),
  ],
  looks: { account_count: accountsWith('package_id') },
})
