import { z } from 'zod'
import { remotePatterns as patterns } from '../shared/patterns.ts'
import { component, Id, listOf, Millis } from './common.ts'
import { operation } from './operation.ts'

export const destinationTypes = ['local', 's3', 'sftp'] as const

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be up to 31 lower-case letters, digits and hyphens, and begin with a letter')
const MAX_PATH_LENGTH = 1024

/** How to reach a remote destination; its keys are separate. */
const settings = {
  endpoint: z
    .string()
    .max(300)
    .regex(patterns.pastedEndpoint, 'must be a URL such as https://s3.example')
    .describe(
      's3: the URL of the storage, such as https://s3.example; http only for addresses in the setting git_networks',
    ),
  bucket: z.string().regex(patterns.bucket, 'must be the name of a bucket').describe('s3: the bucket'),
  prefix: z
    .string()
    .max(MAX_PATH_LENGTH)
    .regex(patterns.prefix, 'must be a path such as panel/host1')
    .describe('s3: where in the bucket'),
  region: z.string().regex(patterns.region, 'must be the name of a region').describe('s3: the region'),
  access_key: z
    .string()
    .regex(patterns.key, 'must be up to 256 characters without blanks')
    .describe('s3: the id of the key'),
  host: z.string().max(253).regex(patterns.host, 'must be a host name or an IPv4 address').describe('sftp: the host'),
  port: z.int().min(1).max(65_535).describe('sftp: the port; 22 if left out'),
  user: z.string().regex(patterns.user, 'must be the name of a user').describe('sftp: the user'),
  host_key: z
    .string()
    .max(32_768)
    .regex(patterns.pastedHostKey, 'must have a type and a key, such as ssh-ed25519 AAAA…')
    .describe('sftp: the key of the host, as ssh-keyscan or a .pub file shows it; another is refused'),
}
const path = z
  .string()
  .max(MAX_PATH_LENGTH)
  .regex(patterns.path, 'must be a path of letters, digits, dots, hyphens and underscores')
  .describe('local: a directory of the host, absolute; sftp: a directory, from the login or absolute')
const keys = {
  secret_key: z
    .string()
    .regex(patterns.key, 'must be up to 256 characters without blanks')
    .describe('s3: the secret of the key'),
  private_key: z
    .string()
    .max(16_384)
    .regex(patterns.pastedPrivateKey, 'must be a private key without a passphrase, as ssh-keygen writes it')
    .describe('sftp: a private key without a passphrase'),
}

const optionalSettings = z.strictObject(settings).partial()
export type RemoteSettings = z.infer<typeof optionalSettings>
const optionalKeys = z.strictObject(keys).partial().shape
const isDefault = z.boolean().describe('Whether backups are kept here unless another is chosen')

export const BackupDestination = component(
  'BackupDestination',
  z.strictObject({
    id: Id,
    name: z.string(),
    type: z.enum(destinationTypes),
    default: isDefault,
    path: z.string().optional(),
    ...optionalSettings.shape,
    created_at: Millis,
    updated_at: Millis,
  }),
)

const CreatedDestination = component(
  'CreatedBackupDestination',
  z.strictObject({
    destination: BackupDestination,
    encryption_password: z
      .string()
      .optional()
      .describe('s3, sftp: what backups there are encrypted with; shown only once. Keep it: without it they are lost'),
  }),
)

const area = 'backup-destinations'
const root = { area, allow: {}, token: { admin: ['server'], account: 'none' } } as const
const params = z.strictObject({ did: Id.describe('The destination') })
const columns = ['id', 'name', 'type', 'default', 'path'] as const

export const listBackupDestinations = operation({
  ...root,
  id: 'listBackupDestinations',
  method: 'get',
  path: '/backup-destinations',
  summary: 'List where backups are kept',
  status: 200,
  answer: listOf(BackupDestination),
  cli: { words: [area, 'list'], columns, examples: ['panel backup-destinations list'] },
})

export const createBackupDestination = operation({
  ...root,
  id: 'createBackupDestination',
  sensitive: 'agents',
  method: 'post',
  path: '/backup-destinations',
  summary: 'Add a place for backups',
  description:
    'A local directory must belong to the user of the host agent, and only that user may write to it. s3 and sftp are restic repositories, encrypted with a password that is shown once; test one to see whether it can be reached.',
  body: component(
    'CreateBackupDestination',
    z.strictObject({
      name,
      type: z.enum(destinationTypes),
      default: isDefault.optional(),
      path: path.optional(),
      ...optionalSettings.shape,
      ...optionalKeys,
    }),
  ),
  status: 201,
  answer: CreatedDestination,
  secret: true,
  problems: ['exists', 'not-configured'],
  cli: {
    words: [area, 'create'],
    args: ['name'],
    columns: ['encryption_password', 'destination.id', 'destination.name', 'destination.type', 'destination.default'],
    examples: [
      'panel backup-destinations create disk2 --type local --path /srv/backups',
      'panel backup-destinations create offsite --type s3 --endpoint https://s3.example --bucket backups --access-key AKIA1 --secret-key-file s3.key',
      'panel backup-destinations create box --type sftp --host box.example --user host1 --path backups --host-key "ssh-ed25519 AAAA…" --private-key-file id',
    ],
  },
})

export const getBackupDestination = operation({
  ...root,
  id: 'getBackupDestination',
  method: 'get',
  path: '/backup-destinations/{did}',
  summary: 'Show a place for backups',
  params,
  status: 200,
  answer: BackupDestination,
  cli: { words: [area, 'show'], columns, examples: ['panel backup-destinations show offsite'] },
})

export const updateBackupDestination = operation({
  ...root,
  id: 'updateBackupDestination',
  method: 'patch',
  path: '/backup-destinations/{did}',
  summary: 'Change a place for backups',
  description:
    'Its type cannot change. Where its backups are (path, bucket, prefix) can change only while it has none.',
  params,
  body: component(
    'UpdateBackupDestination',
    z.strictObject({
      name: name.optional(),
      default: isDefault.optional(),
      path: path.optional(),
      ...optionalSettings.shape,
      ...optionalKeys,
    }),
  ),
  status: 200,
  answer: BackupDestination,
  secret: true,
  problems: ['exists', 'in-use'],
  cli: {
    words: [area, 'update'],
    columns,
    examples: [
      'panel backup-destinations update offsite --default',
      'panel backup-destinations update offsite --access-key AKIA2 --secret-key-file s3.key',
    ],
  },
})

export const deleteBackupDestination = operation({
  ...root,
  id: 'deleteBackupDestination',
  method: 'delete',
  path: '/backup-destinations/{did}',
  summary: 'Remove a place for backups',
  description: 'Refused while it holds backups, a schedule names it, or it is the default. Nothing there is deleted.',
  params,
  status: 204,
  problems: ['in-use'],
  cli: { words: [area, 'delete'], confirm: 'yes', examples: ['panel backup-destinations delete offsite'] },
})

export const testBackupDestination = operation({
  ...root,
  id: 'testBackupDestination',
  method: 'post',
  path: '/backup-destinations/{did}/test',
  summary: 'Test whether backups can be kept in a place',
  description: 'Creates the repository if there is none yet.',
  params,
  status: 202,
  answer: component(
    'BackupDestinationTested',
    z.strictObject({ destination: BackupDestination, job_id: Id.describe('The job that tests it') }),
  ),
  job: 'backup.test',
  emits: ['job.completed', 'job.failed'],
  cli: {
    words: [area, 'test'],
    columns,
    show: 'destination',
    examples: ['panel backup-destinations test offsite'],
  },
})
