import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasMariaDb, MariaDb } from '../mysql/mariadb.ts'
import { contentOn } from './content.ts'

const folder = mkdtempSync(join(tmpdir(), 'panel-hostile-'))
const made = join(folder, 'made')

/** Statements of a dump that was tampered with, and the result. */
const hostile: readonly [string, string, RegExp][] = [
  ['another database', 'USE victim_shop; DROP TABLE t;', /Access denied/],
  ['a table of another database', 'INSERT INTO victim_shop.t VALUES (2);', /denied/],
  ['rows of another database', 'CREATE TABLE x AS SELECT * FROM victim_shop.t;', /denied/],
  ['another database of the same account', 'CREATE TABLE hostile_other.x (a int);', /denied/],
  ['dropping another database', 'DROP DATABASE victim_shop;', /Access denied/],
  ['a new database', 'CREATE DATABASE hostile_new;', /Access denied/],
  ['the grant tables', "INSERT INTO mysql.global_priv VALUES ('%','x','{}');", /denied/],
  ['a new user', "CREATE USER 'x'@'%';", /Access denied/],
  ['a grant', "GRANT ALL ON *.* TO 'hostile_app'@'localhost';", /Access denied/],
  ['a setting of the server', 'SET GLOBAL general_log = 1;', /Access denied/],
  ['a file of the server', "LOAD DATA INFILE '/etc/passwd' INTO TABLE x;", /Access denied/],
  ['a file of the client', "CREATE TABLE x (a text); LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE x;", /./],
  ['a file that is written', `SELECT 1 INTO OUTFILE '${made}';`, /Access denied/],
  ['a plugin', "INSTALL SONAME 'ha_connect';", /Access denied|denied/],
  ['a library', "CREATE FUNCTION sys_exec RETURNS int SONAME 'x.so';", /denied/],
  ['a command of the client', `\\! touch ${made}\n`, /Unknown command/],
  ['another', `system touch ${made}\n`, /syntax/],
  ['after a delimiter', `DELIMITER ;;\nsystem touch ${made};;\n`, /syntax/],
  ['a file of statements', 'source /etc/passwd\n', /syntax/],
  ['an output file', `tee ${made}\nSELECT 1;`, /syntax/],
  [
    'a function of root',
    'CREATE\nDEFINER=`root`@`localhost` FUNCTION f() RETURNS int DETERMINISTIC RETURN 1;',
    /SET USER|SUPER/,
  ],
  [
    'a view of root',
    'CREATE\nDEFINER=`root`@`localhost` VIEW v AS SELECT * FROM victim_shop.t;',
    /denied|SET USER|SUPER/,
  ],
  [
    'a procedure of root that is called',
    'CREATE DEFINER=`root`@`localhost` PROCEDURE p() SQL SECURITY DEFINER DROP DATABASE victim_shop;\nCALL p();',
    /Access denied/,
  ],
  ['no statement', 'this is no statement;', /syntax/],
]

describe.skipIf(!hasMariaDb)('dump that was tampered with', { timeout: 60_000 }, () => {
  let server: MariaDb
  let input: Awaited<ReturnType<typeof contentOn>>
  beforeAll(async () => {
    server = await MariaDb.start()
    // Whoever runs the client could write here.
    chmodSync(folder, 0o777)
    input = await contentOn(server, 'hostile_')
    server.ask('CREATE DATABASE victim_shop; CREATE TABLE victim_shop.t (a int); INSERT INTO victim_shop.t VALUES (1);')
    input.as('CREATE TABLE mine (a int); INSERT INTO mine VALUES (5);')
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true })
  })

  const all = () =>
    server.ask(
      'SHOW DATABASES; SELECT * FROM victim_shop.t; SELECT * FROM hostile_shop.mine; SHOW TABLES FROM hostile_other; SELECT User, Host FROM mysql.global_priv; SELECT @@general_log; SELECT * FROM mysql.plugin; SELECT * FROM mysql.func;',
    )

  test.each(hostile)('refuses the dump before anything is changed: %s', async (_, statements, refusal) => {
    const before = all()
    const filling = input.filling(Buffer.from(statements))
    await expect(input.content.tryOut(filling, statements.length)).rejects.toThrow(refusal)
    expect(all()).toBe(before)
    expect(existsSync(made)).toBe(false)
  })

  test('assigns an event or a trigger of root to a user of the account', async () => {
    const statements = [
      '/*!50106 CREATE*/ /*!50117 DEFINER=`root`@`localhost`*/ /*!50106 EVENT e ON SCHEDULE EVERY 1 DAY DO DROP DATABASE victim_shop */;',
      'CREATE TABLE t (a int);',
      '/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER g BEFORE INSERT ON t FOR EACH ROW DELETE FROM victim_shop.t */;',
    ]
    const warnings = await input.content.fill(
      input.filling(Buffer.from(statements.join('\n')), { name: 'hostile_other' }),
    )
    expect(warnings).toHaveLength(2)
    expect(
      server.ask(
        "SELECT DEFINER FROM information_schema.EVENTS UNION SELECT DEFINER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = 'hostile_other'",
      ),
    ).toBe('hostile_api@localhost\n')
    expect(input.as('INSERT INTO hostile_other.t VALUES (1)').stderr).toContain('denied')
  })
})
