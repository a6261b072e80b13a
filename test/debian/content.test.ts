import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasMariaDb, MariaDb } from '../mysql/mariadb.ts'
import { contentOn, dumped, inPieces, visible } from './content.ts'

/** What a database may contain: odd rows, and all kinds of objects with a definer. */
const furniture = `
CREATE TABLE t (id int PRIMARY KEY, name varchar(50), data blob, seen datetime);
INSERT INTO t VALUES (1, 'Zoë \\n \\\\ ''q'' \`b\` 😀', X'00FF0A0D1A5C27', '2026-01-02 03:04:05'), (2, NULL, NULL, NULL);
CREATE TABLE log (id int AUTO_INCREMENT PRIMARY KEY, text varchar(90));
CREATE VIEW v AS SELECT id, name FROM t;
CREATE SQL SECURITY INVOKER VIEW w AS SELECT id FROM v;
DELIMITER ;;
CREATE TRIGGER first AFTER INSERT ON t FOR EACH ROW
BEGIN
  INSERT INTO log (text) VALUES (CONCAT('1 ', CURRENT_USER()));
END;;
CREATE TRIGGER second AFTER INSERT ON t FOR EACH ROW INSERT INTO log (text) VALUES ('2 Zoë');;
CREATE FUNCTION f() RETURNS varchar(90) DETERMINISTIC RETURN CURRENT_USER();;
CREATE PROCEDURE p() BEGIN
-- CREATE DEFINER=\`root\`@\`localhost\` in a remark
SELECT 'it''s; \\\\ DELIMITER' AS a; END;;
CREATE EVENT e ON SCHEDULE EVERY 1 YEAR STARTS '2030-01-01' DO INSERT INTO log (text) VALUES ('e');;
DELIMITER ;
`
const rows = 'SELECT id, name, HEX(data), seen FROM t ORDER BY id; SELECT * FROM v; SELECT * FROM w;'

describe.skipIf(!hasMariaDb)('content of databases', { timeout: 60_000 }, () => {
  let server: MariaDb
  beforeAll(async () => {
    server = await MariaDb.start()
  }, 60_000)
  afterAll(() => server?.stop())

  const left = () =>
    server.ask("SHOW DATABASES LIKE 'panel%'; SELECT User FROM mysql.global_priv WHERE User LIKE 'panel%'")

  test('dumps and restores content as it was: rows, views, triggers, routines, events and definers', async () => {
    const { content, as, filling, databases } = await contentOn(server, 'one_')
    const [shop = ''] = databases
    expect(as(furniture).stderr).toBe('')
    expect(as('CREATE VIEW u AS SELECT 1 AS a', 'api').stderr).toBe('')
    const before = as(rows).stdout
    const { bytes, definers, warnings } = await dumped(content, shop)
    expect(warnings).toEqual([])
    expect(visible(definers)).toEqual(
      expect.arrayContaining([
        'VIEW u one_api@localhost',
        'VIEW v one_app@localhost',
        'FUNCTION f one_app@localhost',
        'PROCEDURE p one_app@localhost',
        'TRIGGER first one_app@localhost',
        'EVENT e one_app@localhost',
      ]),
    )
    const made = server.ask(
      `USE ${shop}; SHOW CREATE PROCEDURE p; SHOW CREATE EVENT e; SHOW CREATE VIEW w; SHOW CREATE FUNCTION f;`,
    )
    as('DELETE FROM t; DROP VIEW v; CREATE TABLE since (a int);')
    await content.tryOut(filling(bytes), bytes.length)
    expect(await content.fill(filling(bytes, { definers }))).toEqual([])
    expect(as(rows).stdout).toBe(before)
    expect(as('SHOW TABLES').stdout).not.toContain('since')
    expect(visible((await dumped(content, shop)).definers).toSorted()).toEqual(visible(definers).toSorted())
    expect(
      server.ask(
        `USE ${shop}; SHOW CREATE PROCEDURE p; SHOW CREATE EVENT e; SHOW CREATE VIEW w; SHOW CREATE FUNCTION f;`,
      ),
    ).toBe(made)
    expect(as('INSERT INTO t (id) VALUES (3); SELECT text FROM log ORDER BY id; SELECT f()').stdout).toBe(
      '1 one_app@localhost\n2 Zoë\none_app@localhost\n',
    )
    expect((await dumped(content, shop)).bytes.toString()).toContain('-- CREATE DEFINER=`root`@`localhost` in a remark')
    expect(left()).toBe('')
  })

  test('with the event scheduler on, events wait until everything is there, also in a trial, and are as before', async () => {
    server.ask('SET GLOBAL event_scheduler = ON')
    onTestFinished(() => void server.ask('SET GLOBAL event_scheduler = OFF'))
    const { content, as, filling, databases } = await contentOn(server, 'ev_')
    const [shop = ''] = databases
    const every = "ON SCHEDULE EVERY 1 SECOND STARTS '2020-01-01' ON COMPLETION PRESERVE"
    const event = (name: string, state: string) =>
      `CREATE EVENT ${name} ${every} ${state} DO INSERT INTO log (text) VALUES (CURRENT_USER());`
    as('CREATE TABLE log (text varchar(90)); CREATE TABLE seen (n int);')
    as(`${event('`on`', 'DISABLE')} ${event('off', 'DISABLE')} ${event('replica', 'DISABLE ON SLAVE')}`)
    const states = () => as('SELECT EVENT_NAME, STATUS FROM information_schema.EVENTS ORDER BY 1').stdout
    expect(states()).toBe('off\tDISABLED\non\tDISABLED\nreplica\tSLAVESIDE_DISABLED\n')
    const { bytes: dump, definers } = await dumped(content, shop)
    const waiting = dump.toString().replace(/^(.*EVENT `on` .*)DISABLE/m, '$1ENABLE')
    const bytes = Buffer.from(`${waiting}\nDO SLEEP(2.5);\nINSERT INTO seen SELECT COUNT(*) FROM log;\n`)
    const isEmpty = Buffer.concat([bytes, Buffer.from('ALTER TABLE seen ADD CHECK (n = 0);\n')])
    await content.tryOut(filling(isEmpty), isEmpty.length)
    expect(await content.fill(filling(isEmpty, { definers }))).toEqual([])
    expect(states()).toBe('off\tDISABLED\non\tENABLED\nreplica\tDISABLED\n')
    await expect.poll(() => as('SELECT DISTINCT text FROM log').stdout).toBe('ev_app@localhost\n')
  })

  test('an event whose time has passed since is named', async () => {
    const { content, as, filling, databases } = await contentOn(server, 'past_')
    as("CREATE EVENT once ON SCHEDULE AT '2035-01-01' DO DO 1;")
    const { bytes, definers } = await dumped(content, databases[0]!)
    const later = Buffer.from(bytes.toString().replace('2035', '2015'))
    expect(await content.fill(filling(later, { definers }))).toEqual([
      'past_shop: once: left out: the time of this event has passed',
    ])
  })

  test('restores content under another name, for the users of that account', async () => {
    const { content, as, databases } = await contentOn(server, 'two_')
    const [shop = ''] = databases
    as(furniture)
    as(`CREATE TRIGGER two_shop.third AFTER DELETE ON two_shop.t FOR EACH ROW INSERT INTO log (text) VALUES ('3');`)
    server.ask(`USE ${shop}; CREATE DEFINER=nobody@localhost VIEW n AS SELECT 1 AS a; CREATE VIEW r AS SELECT 2 AS a;`)
    const { bytes, definers } = await dumped(content, shop)
    const other = await contentOn(server, 'three_')
    const filling = other.filling(bytes, { from: shop, formerPrefix: 'two_', definers })
    await other.content.tryOut(filling, bytes.length)
    expect((await other.content.fill(filling)).sort()).toEqual([
      'three_shop: n: ran as nobody@localhost, and runs as three_api now',
      'three_shop: r: ran as root@localhost, and runs as three_api now',
    ])
    expect(other.as(`DELETE FROM t WHERE id = 2; SELECT text FROM log; SELECT f(); ${rows}`).stdout).toContain(
      '3\nthree_app@localhost\n1\tZoë',
    )
    expect(
      visible((await dumped(other.content, 'three_shop')).definers).filter((line) => !/three_a/.test(line)),
    ).toEqual([])
  })

  test.each([
    ['ANSI,TRADITIONAL', 'CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.b = NEW.a + 1'],
    ['ANSI_QUOTES', 'CREATE TRIGGER "t""r" BEFORE INSERT ON "t" FOR EACH ROW SET NEW."b" = NEW."a" + 1'],
    ['ORACLE', 'CREATE TRIGGER "tr" BEFORE INSERT ON "t" FOR EACH ROW BEGIN :NEW.b := :NEW.a + 1; END'],
  ])('restores objects that were made under %s, as another account, too', async (mode, trigger) => {
    const prefix = `m${mode.length}_`
    const { content, as, filling, databases } = await contentOn(server, prefix)
    const procedure = mode === 'ORACLE' ? 'CREATE PROCEDURE p AS BEGIN SELECT 7; END' : 'CREATE PROCEDURE p() SELECT 7'
    const made = `CREATE TABLE t (a INT, b INT); SET sql_mode = '${mode}';\nDELIMITER ;;\n${trigger};;\n${procedure};;\n`
    expect(as(made).stderr).toBe('')
    const { bytes, definers } = await dumped(content, databases[0]!)
    const other = await contentOn(server, `n${mode.length}_`)
    for (const [to, again] of [
      [{ content, as }, filling(bytes, { definers })],
      [other, other.filling(bytes, { definers, from: databases[0]!, formerPrefix: prefix })],
    ] as const) {
      await to.content.tryOut(again, bytes.length)
      expect(await to.content.fill(again)).toEqual([])
      expect(to.as('INSERT INTO t (a) VALUES (1); SELECT b FROM t; CALL p();').stdout.trim()).toMatch(/^2\s+7$/)
    }
  })

  test('restores a blob that in hex exceeds what the server takes, and leaves its limit as it was', async () => {
    const { content, as, filling, databases } = await contentOn(server, 'blob_')
    server.ask('SET GLOBAL max_allowed_packet = 16777216')
    as(
      "CREATE TABLE m (b LONGBLOB); INSERT INTO m VALUES (REPEAT('\\0x', 9 * 524288)); INSERT INTO m VALUES (REPEAT('y', 15 * 1048576));",
    )
    const { bytes, definers } = await dumped(content, databases[0]!)
    expect(bytes.length).toBeGreaterThan(2 * 24 * 1024 * 1024)
    const again = { ...filling(bytes, { definers }), bytes: () => inPieces(bytes, 1024 * 1024) }
    await content.tryOut(again, bytes.length)
    expect(await content.fill(again)).toEqual([])
    expect(as('SELECT LENGTH(b) FROM m').stdout.trim().split('\n')).toEqual(['9437184', '15728640'])
    expect(server.ask('SELECT @@GLOBAL.max_allowed_packet').trim()).toBe('16777216')
  })

  test('restores a sequence that is the default of a column under another name, and no text that looks like one', async () => {
    const { content, as, databases } = await contentOn(server, 'seq_')
    as(
      "CREATE SEQUENCE s START WITH 100; CREATE TABLE t (id INT DEFAULT NEXTVAL(s), n varchar(90) DEFAULT 'nextval(`seq_shop`.`s`)'); INSERT INTO t VALUES ();",
    )
    const { bytes, definers } = await dumped(content, databases[0]!)
    const other = await contentOn(server, 'qes_')
    const again = other.filling(bytes, { definers, from: databases[0]!, formerPrefix: 'seq_' })
    await other.content.tryOut(again, bytes.length)
    await other.content.fill(again)
    expect(other.as('INSERT INTO t (id) VALUES (DEFAULT); SELECT * FROM t').stdout).toMatch(
      /^100\tnextval\(`seq_shop`\.`s`\)\n1\d\d\d?\tnextval\(`seq_shop`\.`s`\)\n$/,
    )
  })

  test('restores content whose definer no longer exists with a warning, even if the account has no users', async () => {
    const { content, as, filling, databases } = await contentOn(server, 'four_')
    as('CREATE FUNCTION f() RETURNS int DETERMINISTIC RETURN 1;')
    const { bytes, definers } = await dumped(content, databases[0]!)
    server.ask("DROP USER 'four_app'@'localhost'; DROP USER 'four_api'@'localhost';")
    expect(await content.fill(filling(bytes, { definers }))).toEqual([
      'four_shop: f: ran as four_app@localhost, and does not work until there is a database user four_nobody',
    ])
  })

  test('restores content without broken views, and with what a deleted user defined', async () => {
    const { content, as, filling, databases } = await contentOn(server, 'five_')
    as('CREATE TABLE a (a int); CREATE TABLE b (a int); INSERT INTO b VALUES (7); CREATE VIEW v AS SELECT * FROM a;')
    as('CREATE VIEW above AS SELECT * FROM v; DROP TABLE a; CREATE TABLE m (a int) ENGINE=MyISAM;')
    as(
      "CREATE FUNCTION f() RETURNS int DETERMINISTIC RETURN 8; CREATE VIEW u AS SELECT a, '`five_shop`.' AS t FROM b;",
      'api',
    )
    as('CREATE VIEW g AS SELECT f() AS a')
    server.ask("DROP USER 'five_api'@'localhost'")
    const { bytes, warnings, definers } = await dumped(content, databases[0]!)
    expect(warnings).toEqual([
      'the view above is not saved: it refers to something that no longer exists',
      'the view g is not saved: it refers to something that no longer exists',
      'the view v is not saved: it refers to something that no longer exists',
      'not InnoDB, so not saved as of one moment: m',
    ])
    await content.tryOut(filling(bytes), bytes.length)
    expect(await content.fill(filling(bytes, { definers }))).toEqual([
      'five_shop: u: ran as five_api@localhost, and runs as five_app now',
      'five_shop: f: ran as five_api@localhost, and runs as five_app now',
    ])
    expect(as('SELECT * FROM u; SELECT f()').stdout).toBe('7\t`five_shop`.\n8\n')
  })

  test('fails a dump if the server does not have the database, or denies it', async () => {
    const { content, databases, filling } = await contentOn(server, 'six_')
    server.ask(`DROP DATABASE ${databases[0]}`)
    await expect(dumped(content, databases[0]!)).rejects.toThrow("Unknown database 'six_shop'")
    const foreign = filling(Buffer.from('SELECT 1;'), { name: 'six_foreign' })
    await expect(content.tryOut(foreign, 1)).rejects.toThrow('The account has no such database on this host.')
  })

  test('does not start a restore if the disk has no room', async () => {
    const { content, filling } = await contentOn(server, 'seven_')
    await expect(content.tryOut(filling(Buffer.from('SELECT 1;')), 1e18)).rejects.toThrow('MB are free for databases')
  })

  test('stops a restore with its process, and leaves nothing for long after a crash', async () => {
    const { content, databases } = await contentOn(server, 'eight_')
    const stop = new AbortController()
    const dump = content.dump(databases[0]!, stop.signal)
    stop.abort()
    await expect(dump.bytes[Symbol.asyncIterator]().next()).rejects.toThrow('abort')
    server.ask(
      "CREATE DATABASE panel_trial_0123abcd; CREATE USER 'panel_restore_0123abcd'@'localhost'; CREATE DATABASE panel_trial_mine",
    )
    await content.recover()
    expect(left()).toBe('panel_trial_mine\n')
    server.ask('DROP DATABASE panel_trial_mine')
  })

  test('splits content into pieces of any size', async () => {
    const { content, as, filling, databases } = await contentOn(server, 'nine_')
    as(furniture)
    const { bytes } = await dumped(content, databases[0]!)
    for (const size of [1, 7, 65_537]) await content.fill(filling(bytes, { bytes: () => inPieces(bytes, size) }))
    expect(as('SELECT COUNT(*) FROM v').stdout).toBe('2\n')
  })
})
