import { crud } from '../../web/kit/crud.ts'
import { listAndForms } from '../../web/kit/lists/list-and-forms.tsx'
import { tailPage } from '../../web/kit/pages/tail.tsx'
import type { PageQuestion, Screen } from '../../web/kit/screen.ts'
import { ofApp, rollsBack } from './views/acts.ts'
import { AppStatus, appPage, statusOf, Value } from './views/app.tsx'
import { releasePage } from './views/release.tsx'

const newest: PageQuestion = { run: 'listReleases', query: { per_page: '10' } }
/** Requests no lines of a job's log: they have been read already. */
const endOfTime = '9999999999999'

const withoutRepository = 'Without a repository you upload an archive on the page of the app, in the next step.'

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
    primary: ['kind', 'domain_id', 'git_url', 'git_branch'],
    columns: ['name', 'kind', 'status', 'git_url', 'updated_at'],
    looks: { status: { cell: (app) => <AppStatus of={statusOf(app)} /> } },
    acts: ofApp,
    sections: {
      releases: newest,
      domains: { run: 'listDomains', query: { per_page: '200' } },
      log: { run: 'getAppLog', query: { limit: '20' } },
      env: { run: 'getAppEnv' },
    },
    views: { one: appPage },
  }).map((screen) => (screen.shows === 'createApp' ? { ...screen, lead: withoutRepository } : screen)),
  {
    path: '/apps/{app}/releases/{release}',
    title: 'Release',
    shows: 'getRelease',
    since: 'log_after',
    view: releasePage,
    acts: {
      cancelJobForAccount: { done: 'The deployment is being cancelled.', label: 'Cancel', subject: 'item' },
      rollbackApp: rollsBack,
    },
    sections: {
      job: { run: 'getJobForAccount', of: ({ release }) => release.job_id, query: { log_after: endOfTime } },
      app: { run: 'getApp' },
      releases: newest,
    },
  },
  {
    path: '/apps/{app}/env',
    title: 'Environment',
    shows: 'getAppEnv',
    view: listAndForms,
    lead: 'The app is started again with what changes.',
    columns: ['name', 'value', 'updated_at'],
    looks: { value: { cell: (one, now) => <Value of={one} now={now} /> }, updated_at: { label: 'Changed' } },
    empty: 'Variables that the app sees when it starts.',
    acts: { setAppEnv: { done: 'Environment changed.', title: 'Change variables' } },
  },
  {
    path: '/apps/{app}/log',
    title: 'Log',
    shows: 'getAppLog',
    since: 'cursor',
    view: tailPage,
    columns: ['text'],
    empty: 'The app has written nothing.',
  },
]
