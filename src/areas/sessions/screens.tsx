import type { Screen } from '../../web/kit/screen.ts'
import { ownPage } from './views/own.tsx'

const own = { title: 'Your sign-in', view: ownPage, find: ['password', 'two-factor', 'sessions', 'second factor'] }
const password = { done: 'Password changed. Your other sessions have ended.', label: 'Change password' }
const setUp = { done: 'Add this key to an authenticator app', label: 'Set up two-factor sign-in' }
const enable = { done: 'Keep your recovery codes', label: 'Turn on' }
const disable = { done: 'Two-factor sign-in is off.', label: 'Turn off' }
const endOne = { done: 'Session ended.', label: 'End' }
const endAll = { done: 'Your other sessions have ended.', label: 'Sign out everywhere else' }

export const screens: readonly Screen[] = [
  {
    ...own,
    path: '/me',
    of: 'account',
    only: 'user',
    shows: 'getUserSession',
    also: { sessions: { run: 'listUserSessions' } },
    acts: {
      changeOwnUserPassword: password,
      setUpTotpUser: setUp,
      enableTotpUser: enable,
      disableTotpUser: disable,
      endUserSession: endOne,
      endUserSessions: endAll,
    },
  },
  {
    ...own,
    path: '/me',
    of: 'server',
    shows: 'getSession',
    also: { sessions: { run: 'listSessions' } },
    acts: {
      changeOwnPassword: password,
      setUpTotp: setUp,
      enableTotp: enable,
      disableTotp: disable,
      endSession: endOne,
      endSessions: endAll,
    },
  },
]
