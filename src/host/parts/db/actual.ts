/** What a database server has under an account's prefix. */
export interface ActualDb {
  readonly databases: readonly string[]
  readonly users: readonly ActualUser[]
  readonly grants: readonly ActualGrant[]
  /** Users with an open session, dropped ones included. */
  readonly sessions: readonly string[]
}

/** A user of the server: a name at a host. */
export interface ActualUser {
  readonly name: string
  /** As in the grant tables: a network with its mask. */
  readonly host: string
  readonly hash: string
  readonly locked: boolean
}

export interface ActualGrant {
  readonly user: string
  readonly host: string
  /** The database pattern, with `\_` for a literal underscore. */
  readonly on: string
  readonly privileges: readonly string[]
}

export const emptyServer: ActualDb = { databases: [], users: [], grants: [], sessions: [] }

/** The queries whose batch output `readActual` parses. */
export function actualQueries(prefix: string): string[] {
  const like = `LIKE '${prefix.replace('_', '\\_')}%'`
  const plugin = (field: string) => `JSON_VALUE(Priv, '$.${field}')`
  return [
    `SELECT 'database', SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME ${like};`,
    `SELECT DISTINCT 'session', USER FROM information_schema.PROCESSLIST WHERE USER ${like};`,
    `SELECT 'user', User, Host, ${plugin('authentication_string')}, ${plugin('account_locked')} FROM mysql.global_priv WHERE User ${like};`,
    `SELECT 'grant', p.GRANTEE, p.TABLE_SCHEMA, p.PRIVILEGE_TYPE, p.IS_GRANTABLE FROM information_schema.SCHEMA_PRIVILEGES p WHERE p.GRANTEE ${like.replace("'", "'''")};`,
  ]
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', 0: '\0' }

/** Unescapes a field of the client's batch output. */
export const plain = (field: string): string => field.replace(/\\(.)/gs, (_, char: string) => escapes[char] ?? char)

type QueryRow = readonly string[]

/** Parses the output of `mariadb --batch --skip-column-names` for `actualQueries`. */
export function readActual(output: string): ActualDb {
  const rows = output.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t').map(plain)]))
  const of = (kind: string): QueryRow[] => rows.filter(([first]) => first === kind).map(([, ...row]) => row)
  return {
    databases: of('database').map(([name = '']) => name),
    users: of('user').map(userOf),
    grants: grantsOf(of('grant')),
    sessions: of('session').map(([name = '']) => name),
  }
}

const userOf = ([name = '', host = '', hash = '', locked]: QueryRow): ActualUser => ({
  name,
  host,
  hash,
  locked: locked === '1' || locked === 'true',
})

/** Merges rows of one privilege each into one grant per user and pattern. */
function grantsOf(rows: readonly QueryRow[]): ActualGrant[] {
  const grants = new Map<string, { user: string; host: string; on: string; privileges: string[] }>()
  for (const [grantee = '', on = '', privilege = '', grantable] of rows) {
    const [, user = '', host = ''] = /^'(.*)'@'(.*)'$/s.exec(grantee) ?? []
    const key = JSON.stringify([grantee, on])
    const grant = grants.get(key) ?? { user, host, on, privileges: grantable === 'YES' ? ['GRANT OPTION'] : [] }
    const added = privilege === 'USAGE' ? [] : [privilege]
    grants.set(key, { ...grant, privileges: [...grant.privileges, ...added] })
  }
  return [...grants.values()]
}
