import type { Definer } from '../../../backup/definer.ts'
import { HostError } from '../../../contract/error.ts'
import { isPausedEvent, releasedEvent } from '../../../dumps/events.ts'
import { plain } from '../../../parts/db/actual.ts'
import type { Sql } from '../client.ts'

/** An object that runs with a user's privileges, and the settings it was created under. */
interface DefinersRow extends Definer {
  readonly characterSet: string
  readonly collation: string
  readonly sqlMode: string
  readonly timeZone: string
}

const columns = (kind: string, name: string, mode: string, zone: string): string =>
  `SELECT ${kind}, ${name}, DEFINER, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, ${mode}, ${zone}`

/** Triggers in order of execution. */
const queries = (database: string): string[] => [
  `${columns("'VIEW'", 'TABLE_NAME', "''", "''")} FROM information_schema.VIEWS WHERE TABLE_SCHEMA = '${database}';`,
  `${columns('ROUTINE_TYPE', 'ROUTINE_NAME', 'SQL_MODE', "''")} FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = '${database}' ORDER BY ROUTINE_TYPE;`,
  `${columns("'TRIGGER'", 'TRIGGER_NAME', 'SQL_MODE', "''")} FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = '${database}' ORDER BY EVENT_OBJECT_TABLE, ACTION_ORDER;`,
  `${columns("'EVENT'", 'EVENT_NAME', 'SQL_MODE', 'TIME_ZONE')} FROM information_schema.EVENTS WHERE EVENT_SCHEMA = '${database}';`,
]

async function foundIn(sql: Sql, database: string): Promise<DefinersRow[]> {
  const rows = (await sql(queries(database))).split('\n').filter((line) => line !== '')
  return rows.map((row) => {
    const [kind = '', name = '', definer = '', characterSet = '', collation = '', sqlMode = '', timeZone = ''] = row
      .split('\t')
      .map(plain)
    const at = definer.lastIndexOf('@')
    const who = { user: definer.slice(0, at), host: definer.slice(at + 1) }
    return { kind: kind as Definer['kind'], name, ...who, characterSet, collation, sqlMode, timeZone }
  })
}

/** A database's objects that run with a user's privileges. */
export const definersIn = async (sql: Sql, database: string): Promise<Definer[]> =>
  (await foundIn(sql, database)).map(({ kind, name, user, host }) => ({ kind, name, user, host }))

const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/** The column of the statement in SHOW CREATE's result. */
const column: Readonly<Record<Definer['kind'], number>> = {
  VIEW: 1,
  FUNCTION: 2,
  PROCEDURE: 2,
  PACKAGE: 2,
  'PACKAGE BODY': 2,
  TRIGGER: 2,
  EVENT: 3,
}

/** Chooses the user that an object will run as. */
export type Chosen = (of: Definer) => { readonly user: string; readonly host: string }

/**
 * Recreates `maker`'s objects with the users that they are to run as, and returns the events that run from then on. Each
 * is one statement in the server's own text, with only its beginning changed: nothing in it runs with root's privileges.
 */
export async function assignDefiners(
  sql: Sql,
  database: string,
  maker: string,
  choose: Chosen,
): Promise<{ readonly events: readonly string[] }> {
  const events: string[] = []
  for (const found of await foundIn(sql, database)) {
    if (found.user !== maker) continue
    const text = await created(sql, database, found)
    if (found.kind === 'EVENT' && isPausedEvent(text)) events.push(found.name)
    const statement = reassigned(found.kind === 'EVENT' ? releasedEvent(text) : text, maker, choose(found))
    await sql([`USE ${quoted(database)};`, ...settings(found), `EXECUTE IMMEDIATE ${literal(statement)};`])
  }
  return { events }
}

async function created(sql: Sql, database: string, { kind, name }: Definer): Promise<string> {
  const answer = await sql([`USE ${quoted(database)};`, `SHOW CREATE ${kind} ${quoted(name)};`])
  return plain(answer.replace(/\n$/, '').split('\t')[column[kind]] ?? '')
}

function reassigned(statement: string, maker: string, { user, host }: ReturnType<Chosen>): string {
  const beginning = new RegExp(
    `^CREATE (?:OR REPLACE )?((?:ALGORITHM=\\w+ )?)DEFINER=([\`"])${maker}\\2@\\2localhost\\2 `,
  )
  if (!beginning.test(statement)) throw new HostError('validate', 'MariaDB has no statement for what is in it.')
  return statement.replace(beginning, (_, algorithm) => {
    return `CREATE OR REPLACE ${algorithm}DEFINER=${quoted(user)}@${quoted(host)} `
  })
}

const word = (text: string): string => text.replaceAll(/[^\w:+/-]/g, '')

const settings = ({ characterSet, collation, sqlMode, timeZone }: DefinersRow): string[] => [
  `SET character_set_client = ${word(characterSet)}, collation_connection = ${word(collation)};`,
  `SET sql_mode = '${sqlMode.replaceAll(/[^\w,]/g, '')}';`,
  ...(timeZone === '' ? [] : [`SET time_zone = '${word(timeZone)}';`]),
]

/** A string literal that no session setting changes. */
const literal = (text: string): string => `CONVERT(0x${Buffer.from(text).toString('hex')} USING utf8mb4)`
