import { type Crud, crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { newTokenPage } from './views/new-token.tsx'

const tokens: Crud = {
  path: '/tokens',
  title: 'API tokens',
  one: 'API token',
  member: 'token',
  name: 'name',
  nav: { group: 'connect', order: 10 },
  find: ['api', 'script', 'billing'],
  columns: ['name', 'prefix', 'scopes', 'allowed_ips', 'expires_at', 'last_used_at'],
  empty: 'An API token lets a script do what you can do, as far as its scopes go.',
  add: 'Create an API token',
  views: { add: newTokenPage },
  deletes: ['Scripts that use it stop working at once.'],
}

export const screens: readonly Screen[] = [
  ...crud('listTokens', tokens),
  ...crud('listTokensForAccount', {
    ...tokens,
    nav: { group: 'account', order: 60, label: 'API and webhooks', beside: ['/webhooks'] },
  }),
]
