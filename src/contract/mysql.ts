import { z } from 'zod'
import { MAX_DATABASE_NAME_LENGTH, MAX_USER_NAME_LENGTH } from '../shared/sql/names.ts'
import { all, collations, privileges } from '../shared/sql/privileges.ts'
import { component, Id, LoginPassword, listOf, Millis, objectStatuses, pageOf, paging, search } from './common.ts'
import { operation } from './operation.ts'

export const maxDatabaseUsers = 100
export const maxDatabaseHosts = 20

const privilegeNames = [all, ...privileges] as const
const granted = z.array(z.enum(privilegeNames)).describe('In the order of their list; `ALL` for all of them')
const status = z.enum(objectStatuses)

export const Database = component(
  'Database',
  z.strictObject({
    id: Id,
    name: z.string(),
    collation: z.enum(collations),
    used_bytes: z.int().min(0),
    measured_at: Millis.describe('When its size was measured; when it was created, until then'),
    users: z.array(z.strictObject({ id: Id, name: z.string(), privileges: granted })),
    status,
    created_at: Millis,
  }),
)

export const DatabaseUser = component(
  'DatabaseUser',
  z.strictObject({
    id: Id,
    name: z.string(),
    databases: z.array(z.strictObject({ id: Id, name: z.string(), privileges: granted })),
    password_changed_at: Millis,
    status,
    created_at: Millis,
  }),
)

export const DatabaseHost = component(
  'DatabaseHost',
  z.strictObject({ id: Id, host: z.string(), status, created_at: Millis }),
)

const MysqlServer = component(
  'MysqlServer',
  z.strictObject({
    host: z.string().describe('Where apps of the account connect to'),
    port: z.int(),
    prefix: z.string().describe('What the names of its databases and users begin with'),
    max_database_name: z.int().describe('Characters'),
    max_user_name: z.int().describe('Characters'),
    databases: z.strictObject({ used: z.int().min(0), limit: z.int().min(0).optional() }),
  }),
)

const jobId = Id.describe('The job that applies the change')
const DatabaseAccepted = component('DatabaseAccepted', z.strictObject({ database: Database, job_id: jobId }))
const UserAccepted = component('DatabaseUserAccepted', z.strictObject({ user: DatabaseUser, job_id: jobId }))
const HostAccepted = component('DatabaseHostAccepted', z.strictObject({ host: DatabaseHost, job_id: jobId }))

const account = { id: Id.describe('The account') }
const database = { ...account, dbid: Id.describe('The database') }
const user = { ...account, duid: Id.describe('The database user') }
const host = { ...account, hid: Id.describe('The host') }
const grant = { ...database, duid: user.duid }

const area = 'mysql'
const token = { admin: ['accounts'], account: 'mysql' } as const
const read = { allow: { reseller: 'mysql-info', customer: true }, token } as const
const change = { allow: { reseller: 'create-user-session', customer: true }, token } as const
const feature = { feature: 'mysql' } as const
const ended = ['job.completed', 'job.failed'] as const

const databaseColumns = ['name', 'used_bytes', 'status'] as const
const userColumns = ['name', 'status'] as const
const hostColumns = ['host', 'status'] as const

const Name = z
  .string()
  .min(1)
  .max(MAX_DATABASE_NAME_LENGTH)
  .regex(
    /^[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/,
    'must contain only lower-case letters, digits and underscores, and begin and end with a letter or digit',
  )

export const getMysqlServer = operation({
  id: 'getMysqlServer',
  method: 'get',
  path: '/accounts/{id}/mysql',
  area,
  summary: 'Show where databases are, and how they are named',
  params: z.strictObject(account),
  status: 200,
  answer: MysqlServer,
  ...read,
  cli: {
    words: ['mysql', 'server'],
    variant: 'account',
    columns: ['host', 'port', 'prefix', 'databases.used', 'databases.limit'],
    examples: ['panel mysql server -a alice'],
  },
})

export const listDatabases = operation({
  id: 'listDatabases',
  method: 'get',
  path: '/accounts/{id}/mysql/databases',
  area,
  summary: "List an account's databases",
  params: z.strictObject(account),
  query: z.strictObject({ ...paging, q: search('name') }),
  status: 200,
  answer: pageOf(Database),
  ...read,
  cli: {
    words: ['mysql', 'databases', 'list'],
    variant: 'account',
    columns: databaseColumns,
    examples: ['panel mysql databases list -a alice'],
  },
})

export const createDatabase = operation({
  id: 'createDatabase',
  method: 'post',
  path: '/accounts/{id}/mysql/databases',
  area,
  summary: 'Create a database',
  description:
    "A name without the account's prefix gets it automatically. The answer has the whole name. If creating it fails permanently, the database is removed and its name is free again.",
  params: z.strictObject(account),
  body: component(
    'CreateDatabase',
    z.strictObject({
      name: Name.describe('Name, with or without the prefix'),
      collation: z.enum(collations).optional().describe('How it compares text; utf8mb4_unicode_ci by default'),
    }),
  ),
  status: 202,
  answer: DatabaseAccepted,
  ...change,
  ...feature,
  job: 'mysql.database.create',
  emits: ['mysql.database.created', ...ended],
  problems: ['exists', 'limit-reached'],
  cli: {
    words: ['mysql', 'databases', 'create'],
    variant: 'account',
    args: ['name'],
    columns: databaseColumns,
    show: 'database',
    examples: ['panel mysql databases create shop -a alice'],
  },
})

export const getDatabase = operation({
  id: 'getDatabase',
  method: 'get',
  path: '/accounts/{id}/mysql/databases/{dbid}',
  area,
  summary: 'Show a database and who may use it',
  params: z.strictObject(database),
  status: 200,
  answer: Database,
  ...read,
  cli: {
    words: ['mysql', 'databases', 'show'],
    variant: 'account',
    columns: databaseColumns,
    examples: ['panel mysql databases show alice_shop'],
  },
})

export const deleteDatabase = operation({
  id: 'deleteDatabase',
  method: 'delete',
  path: '/accounts/{id}/mysql/databases/{dbid}',
  area,
  summary: 'Delete a database with everything in it',
  description: 'Deleting it again in the meantime returns the same job.',
  params: z.strictObject(database),
  query: z.strictObject({
    confirm: z.string().max(MAX_DATABASE_NAME_LENGTH).optional().describe("The database's name"),
  }),
  status: 202,
  answer: DatabaseAccepted,
  ...change,
  job: 'mysql.database.delete',
  emits: ['mysql.database.deleted', ...ended],
  cli: {
    words: ['mysql', 'databases', 'delete'],
    variant: 'account',
    columns: databaseColumns,
    show: 'database',
    confirm: 'name',
    examples: ['panel mysql databases delete alice_shop', 'panel mysql databases delete alice_shop --yes'],
  },
})

export const listDatabaseUsers = operation({
  id: 'listDatabaseUsers',
  method: 'get',
  path: '/accounts/{id}/mysql/users',
  area,
  summary: "List an account's database users",
  params: z.strictObject(account),
  query: z.strictObject({ ...paging, q: search('name') }),
  status: 200,
  answer: pageOf(DatabaseUser),
  ...read,
  cli: {
    words: ['mysql', 'users', 'list'],
    variant: 'account',
    columns: userColumns,
    examples: ['panel mysql users list -a alice'],
  },
})

export const createDatabaseUser = operation({
  id: 'createDatabaseUser',
  secret: true,
  method: 'post',
  path: '/accounts/{id}/mysql/users',
  area,
  summary: 'Create a database user',
  description: `It cannot use any database until it is granted one. An account has at most ${maxDatabaseUsers} users; a name has at most ${MAX_USER_NAME_LENGTH} characters.`,
  params: z.strictObject(account),
  body: component(
    'CreateDatabaseUser',
    z.strictObject({ name: Name.describe('Name, with or without the prefix'), password: LoginPassword }),
  ),
  status: 202,
  answer: UserAccepted,
  ...change,
  ...feature,
  job: 'mysql.user.create',
  emits: ['mysql.user.created', ...ended],
  problems: ['exists', 'too-many'],
  cli: {
    words: ['mysql', 'users', 'create'],
    variant: 'account',
    args: ['name'],
    columns: userColumns,
    show: 'user',
    examples: ['panel mysql users create app -a alice --password-file pw'],
  },
})

export const getDatabaseUser = operation({
  id: 'getDatabaseUser',
  method: 'get',
  path: '/accounts/{id}/mysql/users/{duid}',
  area,
  summary: 'Show a database user and what it may use',
  params: z.strictObject(user),
  status: 200,
  answer: DatabaseUser,
  ...read,
  cli: {
    words: ['mysql', 'users', 'show'],
    variant: 'account',
    columns: userColumns,
    examples: ['panel mysql users show alice_app'],
  },
})

export const changeDatabaseUserPassword = operation({
  id: 'changeDatabaseUserPassword',
  secret: true,
  method: 'post',
  path: '/accounts/{id}/mysql/users/{duid}/password',
  area,
  summary: "Change a database user's password",
  params: z.strictObject(user),
  body: component('DatabaseUserPassword', z.strictObject({ new_password: LoginPassword })),
  status: 202,
  answer: UserAccepted,
  ...change,
  ...feature,
  job: 'mysql.user.password',
  emits: ended,
  cli: {
    words: ['mysql', 'users', 'set-password'],
    variant: 'account',
    columns: userColumns,
    show: 'user',
    examples: ['panel mysql users set-password alice_app', 'panel mysql users set-password alice_app --password-stdin'],
  },
})

export const deleteDatabaseUser = operation({
  id: 'deleteDatabaseUser',
  method: 'delete',
  path: '/accounts/{id}/mysql/users/{duid}',
  area,
  summary: 'Delete a database user',
  description: 'Deleting it again in the meantime returns the same job.',
  params: z.strictObject(user),
  status: 202,
  answer: UserAccepted,
  ...change,
  job: 'mysql.user.delete',
  emits: ['mysql.user.deleted', ...ended],
  cli: {
    words: ['mysql', 'users', 'delete'],
    variant: 'account',
    columns: userColumns,
    show: 'user',
    confirm: 'yes',
    examples: ['panel mysql users delete alice_app'],
  },
})

export const setDatabaseGrant = operation({
  id: 'setDatabaseGrant',
  method: 'put',
  path: '/accounts/{id}/mysql/databases/{dbid}/users/{duid}',
  area,
  summary: 'Set what a user may do in a database',
  description: 'Replaces what it could do there. `ALL` cannot be combined with others.',
  params: z.strictObject(grant),
  body: component(
    'SetDatabaseGrant',
    z.strictObject({
      privileges: z.array(z.enum(privilegeNames)).min(1).max(privileges.length).optional().describe('ALL by default'),
    }),
  ),
  status: 202,
  answer: DatabaseAccepted,
  ...change,
  ...feature,
  job: 'mysql.grant.update',
  emits: ended,
  cli: {
    words: ['mysql', 'grant'],
    variant: 'account',
    columns: databaseColumns,
    show: 'database',
    examples: [
      'panel mysql grant alice_shop alice_app',
      'panel mysql grant alice_shop alice_app --privileges SELECT,INSERT',
    ],
  },
})

export const deleteDatabaseGrant = operation({
  id: 'deleteDatabaseGrant',
  method: 'delete',
  path: '/accounts/{id}/mysql/databases/{dbid}/users/{duid}',
  area,
  summary: 'Take a database away from a user',
  params: z.strictObject(grant),
  status: 202,
  answer: DatabaseAccepted,
  ...change,
  job: 'mysql.grant.update',
  emits: ended,
  cli: {
    words: ['mysql', 'revoke'],
    variant: 'account',
    columns: databaseColumns,
    show: 'database',
    examples: ['panel mysql revoke alice_shop alice_app'],
  },
})

export const listDatabaseHosts = operation({
  id: 'listDatabaseHosts',
  method: 'get',
  path: '/accounts/{id}/mysql/hosts',
  area,
  summary: 'List the hosts that database users may connect from, besides the server itself',
  params: z.strictObject(account),
  status: 200,
  answer: listOf(DatabaseHost),
  ...change,
  cli: {
    words: ['mysql', 'hosts', 'list'],
    variant: 'account',
    columns: hostColumns,
    examples: ['panel mysql hosts list -a alice'],
  },
})

export const createDatabaseHost = operation({
  id: 'createDatabaseHost',
  method: 'post',
  path: '/accounts/{id}/mysql/hosts',
  area,
  summary: 'Let database users connect from a host',
  description:
    'An IPv4 or IPv6 address in canonical form, or an IPv4 network from /16 to /31. Needs the setting `mysql_public`.',
  params: z.strictObject(account),
  body: component(
    'CreateDatabaseHost',
    z.strictObject({ host: z.string().min(1).max(64).describe('Address, or IPv4 network') }),
  ),
  status: 202,
  answer: HostAccepted,
  ...change,
  ...feature,
  job: 'mysql.host.update',
  emits: ended,
  problems: ['not-configured', 'exists', 'too-many'],
  cli: {
    words: ['mysql', 'hosts', 'create'],
    variant: 'account',
    args: ['host'],
    columns: hostColumns,
    show: 'host',
    examples: ['panel mysql hosts create 192.0.2.7 -a alice', 'panel mysql hosts create 198.51.100.0/24 -a alice'],
  },
})

export const getDatabaseHost = operation({
  id: 'getDatabaseHost',
  method: 'get',
  path: '/accounts/{id}/mysql/hosts/{hid}',
  area,
  summary: 'Show a host that database users may connect from',
  params: z.strictObject(host),
  status: 200,
  answer: DatabaseHost,
  ...change,
  cli: {
    words: ['mysql', 'hosts', 'show'],
    variant: 'account',
    columns: hostColumns,
    examples: ['panel mysql hosts show 192.0.2.7 -a alice'],
  },
})

export const deleteDatabaseHost = operation({
  id: 'deleteDatabaseHost',
  method: 'delete',
  path: '/accounts/{id}/mysql/hosts/{hid}',
  area,
  summary: 'No longer let database users connect from a host',
  params: z.strictObject(host),
  status: 202,
  answer: HostAccepted,
  ...change,
  job: 'mysql.host.update',
  emits: ended,
  cli: {
    words: ['mysql', 'hosts', 'delete'],
    variant: 'account',
    columns: hostColumns,
    show: 'host',
    confirm: 'yes',
    examples: ['panel mysql hosts delete 192.0.2.7 -a alice'],
  },
})
