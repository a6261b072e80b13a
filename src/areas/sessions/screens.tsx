import type { PanelName } from '../../contract/sessions.ts'
import { ownSignIn } from '../../web/kit/forms/own-sign-in.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { ownPage } from './views/own.tsx'

function own(panel: PanelName): Omit<Screen, 'shows'> {
  const { sessions, password, setUp, enable, disable, end, endAll } = ownSignIn[panel]
  return {
    path: '/me',
    title: 'Security',
    view: ownPage,
    find: ['password', 'two-factor', 'sessions', 'second factor'],
    sections: { sessions: { run: sessions } },
    acts: {
      [password]: { done: 'Password changed. Your other sessions have ended.', label: 'Change password' },
      [setUp]: { done: 'Add this key to an authenticator app', label: 'Set up two-factor sign-in' },
      [enable]: { done: 'Keep your recovery codes', label: 'Turn on' },
      [disable]: { done: 'Two-factor sign-in is off.', label: 'Turn off' },
      [end]: { done: 'Session ended.', label: 'End' },
      [endAll]: { done: 'Your other sessions have ended.', label: 'Sign out everywhere else' },
    },
  }
}

export const screens: readonly Screen[] = [
  { ...own('user'), only: 'user', shows: 'getUserSession' },
  { ...own('admin'), shows: 'getSession' },
]
