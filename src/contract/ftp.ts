import { z } from 'zod'
import { loginDirectory, MAX_DIRECTORY_LENGTH } from '../shared/ftp.ts'
import { component, Id, LoginPassword, listOf, Millis, objectStatuses, pageOf, paging, search } from './common.ts'
import { operation } from './operation.ts'

export const ftpProtocols = ['ftp', 'ftps', 'sftp'] as const

export const FtpAccount = component(
  'FtpAccount',
  z.strictObject({
    id: Id,
    login: z.string(),
    domain: z.string(),
    directory: z.string().describe('Relative to the home; `/` is the home itself'),
    quota_mb: z.int().min(1).optional().describe('Absent: unlimited'),
    password_changed_at: Millis,
    status: z.enum(objectStatuses),
    created_at: Millis,
  }),
)

const FtpServer = component(
  'FtpServer',
  z.strictObject({
    host: z.string(),
    ftp_port: z.int(),
    sftp_port: z.int(),
    quota_enforced: z.boolean().describe('Whether the server refuses uploads beyond a quota'),
  }),
)

export const FtpSession = component(
  'FtpSession',
  z.strictObject({ login: z.string(), address: z.string(), protocol: z.enum(ftpProtocols), since_at: Millis }),
)

const FtpAccepted = component(
  'FtpAccountAccepted',
  z.strictObject({ ftp_account: FtpAccount, job_id: Id.describe('The job that applies the change') }),
)

const account = { id: Id.describe('The account') }
const params = z.strictObject(account)
const member = z.strictObject({ ...account, fid: Id.describe('The FTP account') })

const area = 'ftp'
const access = {
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: ['accounts'], account: 'files' },
} as const
const feature = { feature: 'ftp_accounts' } as const
const accepted = { status: 202, answer: FtpAccepted } as const
const ended = ['job.completed', 'job.failed'] as const
const columns = ['login', 'directory', 'quota_mb', 'status'] as const

const Login = z
  .string()
  .max(300)
  .regex(
    /^(?![^@]*\.\.)[A-Za-z0-9](?:[A-Za-z0-9._-]{0,30}[A-Za-z0-9])?@[^@\s\p{Cc}]+$/u,
    'must be a login such as deploy@shop.example; before the @: up to 32 letters, digits, dots, dashes and underscores',
  )
const Directory = z
  .string()
  .max(MAX_DIRECTORY_LENGTH)
  .regex(loginDirectory, 'must be / or a path below the home such as sites/shop.example/public, and not in mail or tmp')
const Quota = z.int().min(1).max(1_000_000_000)

export const getFtpServer = operation({
  id: 'getFtpServer',
  method: 'get',
  path: '/accounts/{id}/ftp',
  area,
  summary: 'Show where FTP clients connect to',
  params,
  status: 200,
  answer: FtpServer,
  ...access,
  cli: {
    words: ['ftp', 'server'],
    variant: 'account',
    columns: ['host', 'ftp_port', 'sftp_port', 'quota_enforced'],
    examples: ['panel ftp server -a alice'],
  },
})

export const listFtpAccounts = operation({
  id: 'listFtpAccounts',
  method: 'get',
  path: '/accounts/{id}/ftp/accounts',
  area,
  summary: "List an account's FTP accounts",
  params,
  query: z.strictObject({ ...paging, q: search('login') }),
  status: 200,
  answer: pageOf(FtpAccount),
  ...access,
  cli: { words: ['ftp', 'list'], variant: 'account', columns, examples: ['panel ftp list -a alice'] },
})

export const createFtpAccount = operation({
  id: 'createFtpAccount',
  secret: true,
  method: 'post',
  path: '/accounts/{id}/ftp/accounts',
  area,
  summary: 'Create an FTP account',
  description:
    'It signs in by FTP, FTPS and SFTP, and sees only its directory. A missing directory is created; if something else is in its place, the job fails and the FTP account is removed.',
  params,
  body: component(
    'CreateFtpAccount',
    z.strictObject({
      login: Login.describe('A name and a domain of the account, such as ann@shop.example'),
      password: LoginPassword,
      directory: Directory.optional().describe('What it sees; sites/DOMAIN/public by default'),
      quota_mb: Quota.optional().describe('Most that it may upload, in MB; unlimited by default'),
    }),
  ),
  ...accepted,
  ...access,
  ...feature,
  job: 'ftp.account.create',
  emits: ['ftp.account.created', ...ended],
  problems: ['exists', 'limit-reached'],
  cli: {
    words: ['ftp', 'create'],
    variant: 'account',
    args: ['login'],
    columns,
    show: 'ftp_account',
    examples: [
      'panel ftp create deploy@alice.example --password-file pw',
      'panel ftp create all@alice.example --directory / --quota-mb 500',
    ],
  },
})

export const getFtpAccount = operation({
  id: 'getFtpAccount',
  method: 'get',
  path: '/accounts/{id}/ftp/accounts/{fid}',
  area,
  summary: 'Show an FTP account',
  params: member,
  status: 200,
  answer: FtpAccount,
  ...access,
  cli: { words: ['ftp', 'show'], variant: 'account', columns, examples: ['panel ftp show deploy@alice.example'] },
})

export const updateFtpAccount = operation({
  id: 'updateFtpAccount',
  method: 'patch',
  path: '/accounts/{id}/ftp/accounts/{fid}',
  area,
  summary: "Change an FTP account's directory or quota",
  params: member,
  body: component(
    'UpdateFtpAccount',
    z.strictObject({
      directory: Directory.optional().describe('What it sees'),
      quota_mb: Quota.nullable().optional().describe('Most that it may upload, in MB'),
    }),
  ),
  ...accepted,
  ...access,
  ...feature,
  job: 'ftp.account.update',
  emits: ended,
  cli: {
    words: ['ftp', 'update'],
    variant: 'account',
    columns,
    show: 'ftp_account',
    examples: ['panel ftp update deploy@alice.example --quota-mb 1000'],
  },
})

export const changeFtpPassword = operation({
  id: 'changeFtpPassword',
  secret: true,
  method: 'post',
  path: '/accounts/{id}/ftp/accounts/{fid}/password',
  area,
  summary: "Change an FTP account's password",
  description: 'Its open sessions end.',
  params: member,
  body: component('FtpPassword', z.strictObject({ new_password: LoginPassword })),
  ...accepted,
  ...access,
  ...feature,
  job: 'ftp.account.password',
  emits: ended,
  cli: {
    words: ['ftp', 'set-password'],
    variant: 'account',
    columns,
    show: 'ftp_account',
    examples: [
      'panel ftp set-password deploy@alice.example',
      'panel ftp set-password deploy@alice.example --password-stdin',
    ],
  },
})

export const deleteFtpAccount = operation({
  id: 'deleteFtpAccount',
  method: 'delete',
  path: '/accounts/{id}/ftp/accounts/{fid}',
  area,
  summary: 'Delete an FTP account',
  description: 'Its files stay; its open sessions end. Deleting it again in the meantime returns the same job.',
  params: member,
  ...accepted,
  ...access,
  job: 'ftp.account.delete',
  emits: ['ftp.account.deleted', ...ended],
  cli: {
    words: ['ftp', 'delete'],
    variant: 'account',
    columns,
    show: 'ftp_account',
    confirm: 'yes',
    examples: ['panel ftp delete deploy@alice.example'],
  },
})

export const listFtpSessions = operation({
  id: 'listFtpSessions',
  method: 'get',
  path: '/accounts/{id}/ftp/sessions',
  area,
  summary: "List an account's open FTP sessions, as of the last minute",
  params,
  status: 200,
  answer: listOf(FtpSession),
  ...access,
  cli: {
    words: ['ftp', 'sessions'],
    variant: 'account',
    columns: ['login', 'address', 'protocol', 'since_at'],
    examples: ['panel ftp sessions -a alice'],
  },
})
