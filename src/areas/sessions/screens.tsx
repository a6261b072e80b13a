import type { PanelName } from '../../contract/sessions.ts'
import { ownSignIn } from '../../web/kit/forms/own-sign-in.ts'
import { credentialIn } from '../../web/kit/forms/passkey.tsx'
import type { Screen } from '../../web/kit/screen.ts'
import { ownPage } from './views/own.tsx'
import { newPasskey } from './views/passkeys.tsx'

const passkeyIn = (form: URLSearchParams) => ({
  name: form.get('name') ?? undefined,
  credential: credentialIn(form.get('credential')),
})

function own(panel: PanelName): Omit<Screen, 'shows'> {
  const { sessions, password, setUp, enable, disable, end, endAll } = ownSignIn[panel]
  const { passkeys, startPasskey, addPasskey, renamePasskey, deletePasskey, renewCodes } = ownSignIn[panel]
  return {
    path: '/me',
    title: 'Security',
    view: ownPage,
    find: ['password', 'two-factor', 'sessions', 'second factor', 'passkeys', 'recovery codes'],
    sections: { sessions: { run: sessions }, passkeys: { run: passkeys } },
    acts: {
      [password]: { done: 'Password changed. Your other sessions have ended.', label: 'Change password' },
      [startPasskey]: { done: 'Add a passkey', label: 'Add a passkey', result: newPasskey },
      [addPasskey]: { done: 'Passkey added.', label: 'Add a passkey', only: ['name'], toBody: passkeyIn },
      [renamePasskey]: { done: 'Passkey renamed.', label: 'Rename', subject: 'item' },
      [deletePasskey]: { done: 'Passkey deleted.', label: 'Delete', subject: 'item' },
      [renewCodes]: { done: 'Keep your recovery codes', label: 'Get new recovery codes' },
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
