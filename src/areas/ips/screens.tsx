import { crud } from '../../web/kit/crud.ts'

export const screens = crud('listIps', {
  path: '/ips',
  title: 'IP addresses',
  one: 'IP address',
  member: 'ip',
  name: 'address',
  nav: { group: 'server', order: 20 },
  empty:
    'Accounts share the main address, or have one of their own. Add an address once it is configured on the machine.',
})
