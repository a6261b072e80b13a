import { z } from 'zod'
import { component, Id, Millis, pageOf, paging } from '../common.ts'
import { LogLine } from '../jobs.ts'
import { operation } from '../operation.ts'
import { access, area, changing, ended, member } from './apps.ts'
import { GitRef } from './settings.ts'

export const releaseSources = ['git', 'archive'] as const
export const releaseStatuses = [
  'queued',
  'building',
  'checking',
  'live',
  'superseded',
  'failed',
  'cancelled',
  'pruned',
] as const

export const Release = component(
  'Release',
  z.strictObject({
    id: Id,
    number: z.int().min(1).describe('Rises for each app and is never used again'),
    source: z.enum(releaseSources),
    ref: z.string().optional().describe('What was asked for'),
    commit: z.string().optional(),
    status: z
      .enum(releaseStatuses)
      .describe('`superseded`: kept, and can be rolled back to; `pruned`: its files are gone'),
    error: z.string().optional(),
    warnings: z.array(z.string()).optional().describe('What its owner should know of it although it works'),
    urls: z.array(z.string()).optional().describe('Where visitors find the app; absent while no domain shows it'),
    size_bytes: z.int().min(0).optional(),
    job_id: Id.describe('The job that made it'),
    created_at: Millis,
    activated_at: Millis.optional().describe('When it went live last'),
  }),
)

const ReleaseAccepted = component(
  'ReleaseAccepted',
  z.strictObject({ release: Release, job_id: Id.describe('The job that brings it live') }),
)

const path = '/accounts/{id}/apps/{aid}/releases'
const columns = ['number', 'source', 'ref', 'commit', 'status', 'activated_at', 'urls', 'error'] as const

export const deployApp = operation({
  id: 'deployApp',
  method: 'post',
  path: '/accounts/{id}/apps/{aid}/deploy',
  area,
  summary: 'Deploy a release of an app',
  description:
    'From its repository, or from an uploaded archive (zip, 7z, tar, tar.gz, tar.bz2, tar.xz or tar.zst). The release is built and started beside the one that serves, and takes over once it is healthy: no request is lost, and one that fails never goes live. Until then the job can be cancelled.',
  params: member,
  body: component(
    'DeployApp',
    z.strictObject({
      ref: GitRef.optional().describe('Branch, tag or commit of 40 digits (default: the branch of the app)'),
      upload_id: Id.optional().describe('The upload that holds the archive; deploying uses it up'),
    }),
  ),
  status: 202,
  answer: ReleaseAccepted,
  ...changing,
  job: 'app.deploy',
  emits: ['app.deploy_started', ...ended],
  problems: ['busy', 'suspended', 'not-configured', 'incomplete'],
  cli: {
    words: ['apps', 'deploy'],
    variant: 'account',
    columns,
    show: 'release',
    upload: { field: 'upload_id', option: 'archive', directory: 'dir' },
    examples: [
      'panel apps deploy shop --account alice --ref v2',
      'panel apps deploy shop --account alice --dir .',
      'panel apps deploy docs --account alice --archive site.zip',
    ],
  },
})

export const rollbackApp = operation({
  id: 'rollbackApp',
  method: 'post',
  path: '/accounts/{id}/apps/{aid}/rollback',
  area,
  summary: 'Bring an earlier release of an app live again',
  description: 'The environment stays as it is now. A second rollback returns to the first release.',
  params: member,
  body: component(
    'RollbackApp',
    z.strictObject({
      release_id: Id.optional().describe('The release (default: the one that was live before)'),
    }),
  ),
  status: 202,
  answer: ReleaseAccepted,
  ...changing,
  job: 'app.rollback',
  emits: ['app.rolled_back', ...ended],
  problems: ['release-unavailable', 'busy', 'suspended', 'not-configured'],
  cli: {
    words: ['apps', 'rollback'],
    variant: 'account',
    args: ['release_id'],
    columns,
    show: 'release',
    examples: ['panel apps rollback shop --account alice', 'panel apps rollback shop 6 --account alice'],
  },
})

export const listReleases = operation({
  id: 'listReleases',
  method: 'get',
  path,
  area,
  summary: 'List the releases of an app',
  description: 'The last 100.',
  params: member,
  query: z.strictObject(paging),
  status: 200,
  answer: pageOf(Release),
  ...access,
  cli: {
    words: ['apps', 'releases'],
    variant: 'account',
    newest: true,
    columns,
    examples: ['panel apps releases shop --account alice'],
  },
})

export const getRelease = operation({
  id: 'getRelease',
  method: 'get',
  path: `${path}/{rid}`,
  area,
  summary: 'Show a release of an app and the log of its deploy',
  params: z.strictObject({ ...member.shape, rid: Id.describe('The release') }),
  query: z.strictObject({ log_after: Millis.optional().describe('Only log lines after this `at`') }),
  status: 200,
  answer: z.strictObject({ release: Release, log: z.array(LogLine) }),
  ...access,
  cli: {
    words: ['apps', 'release'],
    variant: 'account',
    columns: columns.map((column) => `release.${column}` as const),
    examples: ['panel apps release shop 7 --account alice'],
  },
})
