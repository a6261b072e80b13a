import { z } from 'zod'
import { dumpCompressions } from '../shared/sql/dumps.ts'
import { MAX_DATABASE_NAME_LENGTH, MAX_USER_NAME_LENGTH } from '../shared/sql/names.ts'
import { all, collations, privileges } from '../shared/sql/privileges.ts'
import { component, Id, LoginPassword, listOf, Millis, objectStatuses, pageOf, paging, search } from './common.ts'
import { inBodyPath } from './files.ts'
import { operation } from './operation.ts'

export const maxDatabaseUsers = 100
export const maxDatabaseHosts = 20

const privilegeNames = [all, ...privileges] as const
const granted = z.array(z.enum(privilegeNames)).describe('In the order of their list; `ALL` for all of them')
const grantable = z.array(z.enum(privilegeNames)).min(1).max(privileges.length)
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

const plainLine = /^[^\0\r\n]+$/

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

export const CreateDatabase = component(
  'CreateDatabase',
  z.strictObject({
    name: Name.describe('Name, with or without the prefix'),
    user: Name.optional().describe('A user that may use it, with or without the prefix; created if there is none'),
    password: LoginPassword.optional().describe(
      'For a new user: 8 to 128 characters, without control characters, and not the name itself',
    ),
    privileges: grantable.optional().describe('What the user may do; ALL by default'),
    collation: z.enum(collations).optional().describe('How it compares text; utf8mb4_unicode_ci by default'),
  }),
)

export const createDatabase = operation({
  id: 'createDatabase',
  method: 'post',
  path: '/accounts/{id}/mysql/databases',
  area,
  summary: 'Create a database',
  description:
    "A name without the account's prefix gets it automatically. The answer has the whole name. With a user, that user may use the database at once; a user that does not exist is created with the password. If creating it fails permanently, the database is removed and its name is free again.",
  params: z.strictObject(account),
  body: CreateDatabase,
  status: 202,
  answer: DatabaseAccepted,
  ...change,
  ...feature,
  job: 'mysql.database.create',
  emits: ['mysql.database.created', 'mysql.user.created', ...ended],
  problems: ['exists', 'limit-reached', 'too-many'],
  cli: {
    words: ['mysql', 'databases', 'create'],
    variant: 'account',
    args: ['name'],
    columns: databaseColumns,
    show: 'database',
    examples: [
      'panel mysql databases create shop -a alice',
      'panel mysql databases create shop --user shop --password-file pw -a alice',
    ],
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

const ImportedDump = component(
  'DatabaseImport',
  z.strictObject({
    job_id: Id.describe('The job that imported it'),
    finished_at: Millis,
    tables: z.int().min(0).describe('That it creates or fills'),
    rows: z.int().min(0),
    bytes: z.int().min(0).describe('Of its statements, unpacked'),
    warnings: z
      .array(z.strictObject({ line: z.int().min(1).optional().describe('Where first'), reason: z.string() }))
      .describe('What was left out or changed, at most 200'),
  }),
)

export const importDatabase = operation({
  id: 'importDatabase',
  method: 'post',
  path: '/accounts/{id}/mysql/databases/{dbid}/import',
  area,
  summary: 'Import a dump into a database',
  description:
    'An SQL dump, also packed (gz, bz2, xz, zst, zip, tar, 7z), by mysqldump, mariadb-dump, phpMyAdmin, Adminer, HeidiSQL and others, from an upload or a file of the home. It is read first, and tried out in a database of its own: a dump that cannot be imported, or that ends early, changes nothing. Statements that concern the server, such as `CREATE DATABASE` or `SET GLOBAL`, are left out, definers become a user of the account, and engines and collations that MariaDB does not have are replaced: each is named in the log of the job. A dump with statements that are for no import, such as `GRANT` or `LOAD DATA`, is refused, with their lines.',
  params: z.strictObject(database),
  body: component(
    'ImportDatabase',
    z.strictObject({
      upload_id: Id.optional().describe('The upload that holds the dump; importing uses it up'),
      ...inBodyPath('path', 'The dump'),
      replace: z
        .boolean()
        .optional()
        .describe('Empty the database first; its content is kept until the import is done'),
      from: z
        .string()
        .min(1)
        .max(255)
        .regex(plainLine, 'must be one line')
        .optional()
        .describe('Which database of the dump, or which file of the archive, if there are several'),
    }),
  ),
  status: 202,
  answer: DatabaseAccepted,
  ...change,
  ...feature,
  job: 'mysql.database.import',
  emits: ended,
  problems: ['incomplete', 'busy'],
  cli: {
    words: ['mysql', 'import'],
    variant: 'account',
    columns: databaseColumns,
    show: 'database',
    upload: { field: 'upload_id', option: 'file', isArgument: true },
    examples: [
      'panel mysql import alice_shop dump.sql.gz',
      'panel mysql import alice_shop --file dump.sql.gz --replace',
      'panel mysql import alice_shop --path backups/shop.sql',
    ],
  },
})

const DatabaseDumps = component(
  'DatabaseDumps',
  z.strictObject({
    database: z.string().describe('Its name'),
    import: ImportedDump.optional().describe('The last one'),
    export: z
      .strictObject({ file: z.string(), expires_at: Millis })
      .optional()
      .describe('The last one, while it can be downloaded'),
  }),
)

export const getDatabaseDumps = operation({
  id: 'getDatabaseDumps',
  method: 'get',
  path: '/accounts/{id}/mysql/databases/{dbid}/dumps',
  area,
  summary: 'Show the last import into a database, and its last export',
  description: 'What the import brought, what was left out or changed of it, and which export can be downloaded.',
  params: z.strictObject(database),
  status: 200,
  answer: DatabaseDumps,
  ...read,
  cli: {
    words: ['mysql', 'show-dumps'],
    variant: 'account',
    columns: ['import.finished_at', 'import.tables', 'import.rows', 'export.file', 'export.expires_at'],
    sections: [{ field: 'import.warnings', columns: ['line', 'reason'] }],
    examples: ['panel mysql show-dumps alice_shop'],
  },
})

const DatabaseExport = component(
  'DatabaseExport',
  z.strictObject({
    database: Database,
    job_id: jobId,
    file: z.string().describe('Its name'),
    path: z.string().optional().describe('Where it will be, from the home; without it, it can be downloaded for a day'),
  }),
)

export const exportDatabase = operation({
  id: 'exportDatabase',
  method: 'post',
  path: '/accounts/{id}/mysql/databases/{dbid}/export',
  area,
  summary: 'Export a database as a dump',
  description:
    'As of one moment, with routines, triggers and events, without definers, in utf8mb4: any MariaDB or MySQL server can import it. To a file of the home, or without a path to be downloaded within a day. `panel mysql export` does all of it.',
  params: z.strictObject(database),
  body: component(
    'ExportDatabase',
    z.strictObject({
      ...inBodyPath('path', 'The file'),
      compression: z.enum(dumpCompressions).optional().describe("By default that of the path's ending, else gzip"),
      overwrite: z.boolean().optional().describe('Replace a file that is there'),
    }),
  ),
  status: 202,
  answer: DatabaseExport,
  ...change,
  ...feature,
  job: 'mysql.database.export',
  emits: ended,
  problems: ['exists', 'busy'],
  cli: {
    words: ['mysql', 'create-export'],
    variant: 'account',
    columns: ['file', 'path', 'database.name'],
    examples: [
      'panel mysql create-export alice_shop --path backups/shop.sql.gz',
      'panel mysql create-export alice_shop --compression none',
    ],
  },
})

export const downloadDatabase = operation({
  id: 'downloadDatabase',
  method: 'get',
  path: '/accounts/{id}/mysql/databases/{dbid}/export',
  area,
  host: true,
  raw: 'answer',
  writes: true,
  summary: 'Download the last export of a database',
  description:
    'Made without a path, within the last day. Takes one Range of bytes, and If-Range. An account may have two such requests at a time; each must transfer at least 256 KiB a minute.',
  params: z.strictObject(database),
  status: 200,
  ...change,
  problems: ['incomplete', 'range-not-satisfiable'],
  cli: {
    words: ['mysql', 'download-export'],
    variant: 'account',
    examples: ['panel mysql download-export alice_shop shop.sql.gz'],
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
      privileges: grantable.optional().describe('ALL by default'),
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
    columns: ['name', 'users.name', 'users.privileges', 'status'],
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
