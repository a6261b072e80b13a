import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { opensShell, sshPage } from './views/ssh.tsx'

export const screens: readonly Screen[] = [
  {
    path: '/ssh',
    title: 'SSH access',
    shows: 'getSsh',
    find: ['shell', 'terminal', 'key'],
    view: sshPage,
    hidden: ['enabled'],
    acts: { updateSsh: { done: 'SSH access changed.', when: ({ data }) => opensShell(data) } },
    sections: {
      keys: {
        run: 'listSshKeys',
        title: 'Keys',
        columns: ['name', 'type', 'fingerprint', 'created_at'],
        all: '/ssh/keys',
      },
    },
  },
  ...crud('listSshKeys', {
    path: '/ssh/keys',
    title: 'SSH keys',
    one: 'SSH key',
    member: 'key',
    name: 'name',
    empty:
      'A key signs in over SSH without a password. Add the public one, such as the content of ~/.ssh/id_ed25519.pub.',
    deletes: ['The key was removed.'],
  }),
]
