import { crud } from '../../web/kit/crud.ts'
import { t } from '../../web/kit/i18n/i18n.ts'

export const screens = crud('listIps', {
  path: '/ips',
  title: 'IP addresses',
  one: 'IP address',
  member: 'ip',
  name: 'address',
  keeps: ({ data: { main, account_count } }) =>
    main
      ? t('The main address cannot be deleted: new accounts use it.')
      : account_count > 0
        ? t('It can be deleted once its accounts have another address.')
        : undefined,
  nav: { group: 'server', order: 20 },
  empty:
    'Accounts share the main address, or have one of their own. Add an address once it is configured on the machine.',
})
