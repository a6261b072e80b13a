import { crud } from '../../web/kit/crud.ts'
import { accountsWith } from '../../web/kit/lists/accounts-with.tsx'

export const screens = crud('listPackages', {
  path: '/packages',
  title: 'Packages',
  one: 'package',
  member: 'package',
  name: 'name',
  nav: { group: 'main', order: 40, beside: ['/feature-lists'] },
  find: ['plan', 'limits', 'quota'],
  empty: 'A package sets the limits of the accounts that have it.',
  add: 'Create a package',
  looks: { account_count: accountsWith('package_id') },
})
