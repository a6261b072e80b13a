import { listBans } from '../../contract/bans.ts'
import { crud } from '../../web/kit/crud.ts'
import type { Action, Screen } from '../../web/kit/screen.ts'

const lifted: Action = { done: 'Ban lifted.', label: 'Lift the ban' }

const pages = crud('listBans', {
  path: '/bans',
  title: 'Banned addresses',
  one: 'ban',
  add: 'Ban an address',
  member: 'ban',
  name: 'address',
  find: ['firewall', 'blocked', 'unblock', 'fail2ban'],
  columns: listBans.cli.columns,
  primary: ['address', 'for_s', 'reason'],
  each: { deleteBan: lifted },
  empty: 'No address is banned. An address that fails to sign in too often is banned by itself.',
})

export const screens: readonly Screen[] = pages.map((page) =>
  page.shows === 'getBan' ? { ...page, acts: { deleteBan: { ...lifted, to: '/bans' } } } : page,
)
