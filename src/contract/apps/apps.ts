import { z } from 'zod'
import { clearable, optional } from '../accounts.ts'
import { component, Id, listOf, Millis } from '../common.ts'
import { operation } from '../operation.ts'
import { AppName, appKinds, appSettings, listens } from './settings.ts'

export const appStatuses = ['new', 'stopped', 'starting', 'running', 'crashed', 'suspended', 'deleting'] as const

export const App = component(
  'App',
  z.strictObject({
    id: Id,
    name: z.string(),
    kind: z.enum(appKinds),
    git_url: z.string().optional(),
    git_branch: z.string().optional(),
    git_username: z.string().optional(),
    deploy_key: z.string().optional().describe('Public key to add to the repository, for ssh'),
    host_key: z.string().optional().describe("Key of the repository's host, as it was first seen; another one fails"),
    domain_ids: z.array(Id).describe('The domains that show it'),
    listen: z.enum(listens),
    port: z.int().optional().describe('Of the live release, where it listens on a port'),
    root: z
      .string()
      .describe('As set; else of the live release: `public` if it is there, of a static or php app; else `.`'),
    install: z.string().optional(),
    build: z.string().optional(),
    start: z.string().optional(),
    build_timeout_s: z.int(),
    health_path: z.string(),
    health_timeout_s: z.int(),
    keep_releases: z.int(),
    running: z.boolean().describe('Whether it should run'),
    status: z.enum(appStatuses),
    status_reason: z.string().optional(),
    current_release_id: Id.optional(),
    deploying_release_id: Id.optional(),
    created_at: Millis,
    updated_at: Millis,
  }),
)

const job_id = Id.describe('The job that applies the change')
export const AppAccepted = component('AppAccepted', z.strictObject({ app: App, job_id }))

export const account = { id: Id.describe('The account') }
const params = z.strictObject(account)
export const member = z.strictObject({ ...account, aid: Id.describe('The app') })

export const area = 'apps'
/** Write access to files already allows placing code. */
export const access = {
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: ['accounts'], account: 'files' },
} as const
/** Reading, deleting and stopping an app need no feature. */
export const changing = { ...access, feature: 'apps' } as const
export const ended = ['job.completed', 'job.failed'] as const
export const accepted = { status: 202, answer: AppAccepted } as const
const applied = { ...accepted, job: 'app.apply', emits: ended } as const
export const columns = ['name', 'kind', 'status', 'current_release_id', 'updated_at'] as const

const path = '/accounts/{id}/apps'
const ofOne = '/accounts/{id}/apps/{aid}'

/** The command of an operation on one app. */
const command = (verb: string, example = '') =>
  ({
    words: ['apps', verb],
    variant: 'account',
    columns,
    show: 'app',
    examples: [`panel apps ${verb} shop --account alice${example}`],
  }) as const

export const listApps = operation({
  id: 'listApps',
  method: 'get',
  path,
  area,
  summary: "List an account's apps",
  params,
  status: 200,
  answer: listOf(App),
  ...access,
  cli: { words: ['apps', 'list'], variant: 'account', columns, examples: ['panel apps list --account alice'] },
})

export const createApp = operation({
  id: 'createApp',
  method: 'post',
  path,
  area,
  summary: 'Create an app',
  description:
    'It runs once a release is deployed. If creating it fails permanently, the app is removed and its name is free again. A package limits the number of apps: `max_apps`.',
  params,
  body: component(
    'CreateApp',
    z.strictObject({
      name: AppName.describe('Name, also of its directory: ~/apps/NAME'),
      kind: z.enum(appKinds).describe('What it is: files, PHP, or a program'),
      domain_id: Id.optional().describe('A domain that is to show it'),
      ...optional(appSettings),
    }),
  ),
  ...accepted,
  ...changing,
  job: 'app.apply',
  emits: ['app.created', ...ended],
  problems: ['exists', 'in-use', 'limit-reached', 'busy'],
  cli: {
    ...command('create'),
    args: ['name'],
    examples: [
      'panel apps create shop --account alice --kind node --git-url https://git.example/shop.git --domain shop.example',
      'panel apps create docs --account alice --kind static',
    ],
  },
})

export const getApp = operation({
  id: 'getApp',
  method: 'get',
  path: ofOne,
  area,
  summary: 'Show an app',
  params: member,
  status: 200,
  answer: App,
  ...access,
  cli: { words: ['apps', 'show'], variant: 'account', columns, examples: ['panel apps show shop --account alice'] },
})

export const updateApp = operation({
  id: 'updateApp',
  method: 'patch',
  path: ofOne,
  area,
  summary: 'Change an app',
  description:
    'Null restores the default; a null `host_key` forgets the host key of the repository. Build settings and `listen` take effect with the next deploy. `updateDomain` binds domains to it.',
  params: member,
  body: component(
    'UpdateApp',
    z.strictObject({
      ...clearable(appSettings),
      host_key: z.null().optional().describe("Forget the key of the repository's host"),
    }),
  ),
  ...applied,
  ...changing,
  problems: ['busy'],
  cli: command('update', ' --health-path /healthz'),
})

export const deleteApp = operation({
  id: 'deleteApp',
  method: 'delete',
  path: ofOne,
  area,
  summary: 'Delete an app',
  description:
    'Its releases go to the trash of the account. Deleting it again in the meantime returns the same job. A deploy in progress is cancelled.',
  params: member,
  ...accepted,
  ...access,
  job: 'app.delete',
  emits: ['app.deleted', ...ended],
  problems: ['in-use'],
  cli: { ...command('delete'), confirm: 'yes' },
})

export const startApp = operation({
  id: 'startApp',
  method: 'post',
  path: `${ofOne}/start`,
  area,
  summary: 'Start an app',
  params: member,
  ...applied,
  ...changing,
  problems: ['release-unavailable', 'not-configured', 'suspended', 'busy'],
  cli: command('start'),
})

export const stopApp = operation({
  id: 'stopApp',
  method: 'post',
  path: `${ofOne}/stop`,
  area,
  summary: 'Stop an app',
  description: 'Its domains answer 503 until it is started again.',
  params: member,
  ...applied,
  ...access,
  problems: ['release-unavailable', 'busy'],
  cli: command('stop'),
})

export const restartApp = operation({
  id: 'restartApp',
  method: 'post',
  path: `${ofOne}/restart`,
  area,
  summary: 'Restart an app',
  description: 'The old process serves until the new one is healthy. One that is stopped is started.',
  params: member,
  ...accepted,
  ...changing,
  job: 'app.restart',
  emits: ended,
  problems: ['release-unavailable', 'not-configured', 'suspended', 'busy'],
  cli: command('restart'),
})

export const rotateAppDeployKey = operation({
  id: 'rotateAppDeployKey',
  method: 'post',
  path: `${ofOne}/deploy-key`,
  area,
  summary: 'Make a new deploy key',
  description: 'The old key stops working: add the new one to the repository.',
  params: member,
  status: 200,
  answer: App,
  ...changing,
  problems: ['busy'],
  cli: {
    words: ['apps', 'rotate-key'],
    variant: 'account',
    columns: ['name', 'deploy_key'],
    examples: ['panel apps rotate-key shop --account alice'],
  },
})
