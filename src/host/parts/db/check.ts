import { isClientHost } from '../../../shared/sql/hosts.ts'
import {
  MAX_DATABASE_NAME_LENGTH,
  MAX_USER_NAME_LENGTH,
  NAME_PATTERN,
  prefixPattern,
} from '../../../shared/sql/names.ts'
import { all, collations, privileges } from '../../../shared/sql/privileges.ts'
import { HostError } from '../../contract/error.ts'
import {
  depending,
  either,
  fields,
  listOf,
  objectOf,
  oneOf,
  type Schema,
  text,
  that,
  yesOrNo,
} from '../../contract/fields.ts'
import type { ClientHostState, DatabaseState, DatabaseUserState, DbState, GrantState } from './state.ts'

const maxDatabases = 100_000
const maxUsers = 1000
const maxHosts = 100

const clientHost: Schema<string> = that(
  (value) => typeof value === 'string' && isClientHost(value),
  'A host of database users is not valid; nothing was written to the host.',
)

const host = objectOf<ClientHostState>({ host: clientHost, gone: yesOrNo }, 'a host of database users')

const database = objectOf<DatabaseState>(
  { name: text(NAME_PATTERN, MAX_DATABASE_NAME_LENGTH), collation: oneOf(...collations), gone: yesOrNo },
  'a database',
)

const some: Schema<GrantState['privileges']> = listOf(oneOf(...privileges), privileges.length)
const allOrOne: Schema<GrantState['privileges']> = listOf(either(all, oneOf(...privileges)), 1)
const granted: Schema<GrantState['privileges']> = depending((value) =>
  Array.isArray(value) && value.length === 1 ? allOrOne : some,
)

const grant = objectOf<GrantState>(
  { database: text(NAME_PATTERN, MAX_DATABASE_NAME_LENGTH), privileges: granted },
  'a grant',
)

const user = objectOf<DatabaseUserState>(
  {
    name: text(NAME_PATTERN, MAX_USER_NAME_LENGTH),
    hash: text(/^\*[0-9A-F]{40}$/),
    gone: yesOrNo,
    grants: listOf(grant, maxDatabases),
  },
  'a database user',
)

const checkFields = fields<DbState>(
  {
    prefix: text(prefixPattern),
    hosts: listOf(host, maxHosts),
    databases: listOf(database, maxDatabases),
    users: listOf(user, maxUsers),
  },
  'databases',
)

/** Refuses what could be misinterpreted in a statement, and every name that another account could have. */
export function checkDb(state: DbState): void {
  checkFields(state)
  const names = [...state.databases, ...state.users].map(({ name }) => name)
  const granted = state.users.flatMap(({ grants }) => grants.map(({ database }) => database))
  if ([...names, ...granted].every((name) => name.startsWith(state.prefix))) return
  throw new HostError('stage', "A database name does not begin with the account's prefix; nothing was written.")
}
