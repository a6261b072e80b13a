import { crud } from '../../web/kit/crud.ts'
import { listAndForms } from '../../web/kit/list-and-forms.tsx'
import type { Screen } from '../../web/kit/screen.ts'

const releaseColumns = ['number', 'status', 'source', 'ref', 'created_at', 'activated_at'] as const

export const screens: readonly Screen[] = [
  ...crud('listApps', {
    path: '/apps',
    title: 'Apps',
    one: 'app',
    member: 'app',
    name: 'name',
    nav: { group: 'sites', order: 15 },
    find: ['deploy', 'git', 'node', 'python', 'release'],
    empty: 'An app is deployed from a repository or an archive, and shown by a domain.',
    deletes: ['Its releases and its environment are deleted. Domains that show it need another handler first.'],
    acts: {
      deployApp: { done: 'The deployment was started.', label: 'Deploy' },
      rollbackApp: { done: 'The app goes back.', label: 'Roll back' },
      startApp: { done: 'The app starts.', label: 'Start' },
      stopApp: { done: 'The app stops.', label: 'Stop' },
      restartApp: { done: 'The app starts again.', label: 'Restart' },
      rotateAppDeployKey: { done: 'The app has a new deploy key.', label: 'New deploy key' },
    },
    also: {
      releases: { run: 'listReleases', title: 'Releases', to: '/apps/{app}/releases/{id}', columns: releaseColumns },
      log: { run: 'getAppLog', title: 'Log', query: { limit: '20' }, columns: ['text'], all: '/apps/{app}/log' },
      env: {
        run: 'getAppEnv',
        title: 'Environment',
        columns: ['name', 'secret', 'updated_at'],
        all: '/apps/{app}/env',
      },
    },
  }),
  { path: '/apps/{app}/releases/{release}', of: 'account', title: 'Release', shows: 'getRelease' },
  {
    path: '/apps/{app}/env',
    of: 'account',
    title: 'Environment',
    shows: 'getAppEnv',
    columns: ['name', 'value', 'secret', 'updated_at'],
    view: listAndForms,
    acts: { setAppEnv: { done: 'Environment changed.', label: 'Save', title: 'Change variables' } },
    empty: 'Variables that the app sees when it starts.',
  },
  {
    path: '/apps/{app}/log',
    of: 'account',
    title: 'Log',
    shows: 'getAppLog',
    columns: ['text'],
    empty: 'The app has written nothing.',
  },
]
