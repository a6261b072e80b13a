import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { DumpImport } from '../../src/host/contract/commands/dumps.ts'
import { Dumps } from '../../src/host/dumps/index.ts'
import { LocalHomes } from '../../src/host/homes/local.ts'
import type { FailPoint } from '../../src/host/install/engine.ts'
import { KeyedLock } from '../../src/shared/lock.ts'
import type { DumpCompression } from '../../src/shared/sql/dumps.ts'
import { clients } from '../field/clients.ts'
import * as field from '../field/dumps.ts'
import { idOf, tempDir } from '../host/helpers.ts'
import { hasMariaDb, MariaDb } from '../mysql/mariadb.ts'
import { contentOn } from './content.ts'

describe.skipIf(!hasMariaDb)('dumps of others on MariaDB', { timeout: 120_000 }, () => {
  let server: MariaDb
  beforeAll(async () => {
    server = await MariaDb.start()
    server.ask('CREATE DATABASE victim_shop; CREATE TABLE victim_shop.t (a int); INSERT INTO victim_shop.t VALUES (1);')
  }, 60_000)
  afterAll(() => server?.stop())

  let input: Awaited<ReturnType<typeof contentOn>>
  let root: string
  let accounts = 0
  let imports = 0
  beforeEach(async () => {
    input = await contentOn(server, `imp${++accounts}_`)
    root = tempDir()
    mkdirSync(join(root, 'home/bob'), { recursive: true })
  })

  const dumps = (onFailPoint?: FailPoint) => {
    const homes = new LocalHomes({ root, nameOf: ({ username }) => username })
    return new Dumps({ root, homes, databases: input.content, onFailPoint }, new KeyedLock())
  }
  const pathOf = (name: string): string => Buffer.from(name).toString('base64')
  const put = (dump: string | Buffer, name = 'dump.sql'): string => {
    writeFileSync(join(root, 'home/bob', name), dump)
    return pathOf(name)
  }
  const request = (path: string, over: Partial<DumpImport> = {}): DumpImport => ({
    account: input.bob,
    id: idOf(imports++),
    database: { name: input.databases[0]!, collation: 'utf8mb4_unicode_ci' },
    source: { kind: 'file', path },
    replace: true,
    prefix: input.bob.parts.db.prefix,
    ...over,
  })
  const load = (dump: string | Buffer, over: Partial<DumpImport> = {}, name?: string) =>
    dumps().importDatabase(request(put(dump, name), over))
  const see = (query: string): string => {
    const { stdout, stderr } = input.as(query)
    return stdout + stderr
  }
  const reasonsOf = ({ warnings }: Awaited<ReturnType<typeof load>>) => warnings.map(({ reason }) => reason)

  test.each(Object.entries(field.dumps))('%s is imported with all its rows', async (_, dump) => {
    const done = await load(dump)
    expect(done).toMatchObject({ tables: 1, rows: 3, bytes: Buffer.byteLength(dump) })
    expect(see('SELECT COUNT(*), MAX(option_id) FROM wp_options')).toBe('3\t3\n')
    expect(
      see("SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_NAME = 'wp_options' AND TABLE_SCHEMA = DATABASE()"),
    ).toBe('InnoDB\n')
  })

  test.each(Object.entries(clients))('%s: both rows come', async (_, dump) => {
    expect(await load(dump)).toMatchObject({ tables: expect.any(Number), rows: 2 })
    expect(see('SELECT COUNT(*) FROM t')).toBe('2\n')
  })

  test('what only MySQL 8 has of tables is taken, or left out and named', async () => {
    expect(reasonsOf(await load(clients['DBeaver with what MySQL 8 has']!))).toEqual([
      expect.stringContaining('the collation utf8mb4_0900_ai_ci became'),
      'the index f left out: MariaDB does not index expressions',
    ])
    expect(see("SHOW COLUMNS FROM t WHERE Extra LIKE '%GENERATED%'").trim().split('\n')).toHaveLength(2)
    await load(clients['MySQL Workbench']!)
    expect(
      see(
        "SELECT INDEX_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND IGNORED = 'YES' ORDER BY 1",
      ),
    ).toBe('fk_idx\n')
    await load(clients['raw bytes in columns']!)
    expect(see('SELECT HEX(b) FROM t WHERE id = 1')).toBe('80FFFE273B0A1A\n')
  })

  test('strings keep every byte, whatever they look like', async () => {
    await load(field.adminer)
    expect(see('SELECT option_value FROM wp_options WHERE option_id = 2')).toBe(
      'one\\nCREATE DEFINER=`root`@`localhost` VIEW x;\\nDELIMITER ;;\\n-- Dump; two\n',
    )
    await load(field.mysqldump57)
    expect(see('SELECT option_value FROM wp_options WHERE option_id = 2')).toBe("Kaffee; Tee -- 'und' mehr /* so */\n")
  })

  test('routines, triggers, events and views run as the account, and their former users are named', async () => {
    const done = await load(field.mysqldump80)
    const app = `${input.bob.parts.db.prefix}app@localhost`
    const definers = `SELECT DEFINER FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() UNION ALL SELECT DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() UNION ALL SELECT DEFINER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() UNION ALL SELECT DEFINER FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE()`
    expect(new Set(see(definers).trim().split('\n')).size).toBe(1)
    expect(see('CALL count_them(@n); SELECT @n; SELECT COUNT(*) FROM names')).toBe('3\n3\n')
    expect(
      see("INSERT INTO wp_options VALUES (9, ' x ', ''); SELECT option_name FROM wp_options WHERE option_id = 9"),
    ).toBe('x\n')
    expect(reasonsOf(done).filter((one) => one.includes('ran as'))).toEqual(
      expect.arrayContaining([
        expect.stringContaining('names: ran as admin@%'),
        expect.stringContaining('trim_name: ran as root@10.0.0.%'),
      ]),
    )
    expect(reasonsOf(done).join('\n')).toMatch(/gtid_purged[\s\S]*CREATE DATABASE old_shop/)
    expect(app).toContain('app@localhost')
  })

  test.each(['ON', 'OFF'])('events wait for the end of an import, with the event scheduler %s', async (scheduler) => {
    server.ask(`SET GLOBAL event_scheduler = ${scheduler}`)
    onTestFinished(() => void server.ask('SET GLOBAL event_scheduler = OFF'))
    const body = "ON SCHEDULE EVERY 1 SECOND STARTS '2020-01-01'"
    const done = await load(
      [
        'CREATE TABLE log (a varchar(90)); CREATE TABLE seen (n int, CHECK (n = 0));',
        `/*!50106 CREATE*/ /*!50117 DEFINER=\`root\`@\`%\`*/ /*!50106 EVENT \`enable\` ${body} ON COMPLETION PRESERVE ENABLE DO INSERT INTO log VALUES (1) */;`,
        `CREATE EVENT IF NOT EXISTS plain ${body} COMMENT 'ENABLE' DO INSERT INTO log VALUES (2);`,
        `CREATE EVENT off ${body} DISABLE DO INSERT INTO log VALUES (3);`,
        `CREATE EVENT later ${body} DISABLE ON SLAVE DO INSERT INTO log VALUES (4);`,
        `CREATE EVENT altered ${body} DISABLE DO INSERT INTO log VALUES (5); ALTER EVENT altered ENABLE;`,
        `CREATE DEFINER=root@localhost EVENT once ON SCHEDULE AT '2015-01-01' DO DO 1;`,
        'CREATE TABLE slow AS SELECT SLEEP(2.5) AS a;',
        'INSERT INTO seen SELECT COUNT(*) FROM log;',
      ].join('\n'),
    )
    expect(see('SELECT EVENT_NAME FROM information_schema.EVENTS WHERE STATUS = "ENABLED" ORDER BY 1')).toBe(
      'altered\nenable\nplain\n',
    )
    const reasons = reasonsOf(done).filter((one) => /event/.test(one))
    expect(reasons.map((one) => one.replace(/^\w+_shop: /, '')).sort()).toEqual([
      ...(scheduler === 'ON' ? [] : ['altered', 'enable']).map(
        (one) => `${one}: does not run while the server's event scheduler is off`,
      ),
      'once: left out: the time of this event has passed',
      ...(scheduler === 'ON' ? [] : ["plain: does not run while the server's event scheduler is off"]),
    ])
  })

  test('UTF-16 with a mark, UTF-8 with one, and Latin-1 that does not say so', async () => {
    await load(field.utf16)
    expect(see('SELECT COUNT(*) FROM wp_options')).toBe('3\n')
    await load(`\ufeff${field.phpMyAdmin}`)
    expect(see('SELECT twice(21)')).toBe('42\n')
    await load(field.latin1)
    expect(see('SELECT title FROM jos_content ORDER BY id')).toBe('Gr\u00fc\u00dfe\ncaf\u00e9\n')
  })

  const packed: readonly [string, (path: string) => void][] = [
    ['dump.sql.gz', (to) => writeFileSync(to, gzipSync(field.mysqldump57))],
    [
      'two-members.sql.gz',
      (to) =>
        writeFileSync(
          to,
          Buffer.concat([gzipSync(field.mysqldump57.slice(0, 900)), gzipSync(field.mysqldump57.slice(900))]),
        ),
    ],
    ['dump.sql.bz2', (to) => writeFileSync(to, execFileSync('bzip2', ['-c'], { input: field.mysqldump57 }))],
    ['dump.sql.xz', (to) => writeFileSync(to, execFileSync('xz', ['-c'], { input: field.mysqldump57 }))],
    ['dump.sql.zst', (to) => writeFileSync(to, execFileSync('zstd', ['-c', '-q'], { input: field.mysqldump57 }))],
    ['named-wrongly.txt', (to) => writeFileSync(to, gzipSync(field.mysqldump57))],
    ['dump.tar.gz', (to) => archived(to, ['-czf'], { 'a/dump.sql': field.mysqldump57, 'a/readme.txt': 'x' })],
    [
      'cpanel.tar',
      (to) => archived(to, ['-cf'], { 'backup/mysql/shop.sql.gz': gzipSync(field.mysqldump57), 'backup/version': '4' }),
    ],
    ['dump.zip', (to) => archived(to, ['-acf'], { 'dump.sql': field.mysqldump57, '__MACOSX/._dump.sql': 'x' })],
  ]
  function archived(to: string, words: readonly string[], files: Readonly<Record<string, string | Buffer>>): void {
    const from = tempDir()
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(from, name, '..'), { recursive: true })
      writeFileSync(join(from, name), content)
    }
    execFileSync('bsdtar', [...words, to, ...Object.keys(files)], { cwd: from })
  }
  test.each(packed)('%s is unpacked', async (name, make) => {
    make(join(root, 'home/bob', name))
    expect(await dumps().importDatabase(request(pathOf(name)))).toMatchObject({ tables: 1, rows: 3 })
    expect(see('SELECT COUNT(*) FROM wp_options')).toBe('3\n')
  })

  test('several dumps in an archive need a choice', async () => {
    archived(join(root, 'home/bob/all.tar.gz'), ['-czf'], {
      'mysql/a.sql': field.adminer,
      'mysql/b.sql': field.mysqldump57,
    })
    await expect(dumps().importDatabase(request(pathOf('all.tar.gz')))).rejects.toThrow(
      'The archive has several dumps: mysql/a.sql, mysql/b.sql. An import takes one: say which with --from NAME.',
    )
    expect(await dumps().importDatabase(request(pathOf('all.tar.gz'), { from: 'b' }))).toMatchObject({ rows: 3 })
  })

  test.each<[string, Buffer | string, RegExp]>([
    ['pg_dump, custom', 'PGDMP\x01\x0e', /pg_dump's custom format.*pgloader/],
    ['pg_dump, plain', '--\n-- PostgreSQL database dump\n--\n', /PostgreSQL dump.*pgloader/],
    ['SQL Server', 'TAPE\0\0\x03\0', /Microsoft SQL Server/],
    ['SQLite', 'SQLite format 3\0\x10', /SQLite database/],
    ['.frm', Buffer.from('fe010a0c00', 'hex'), /\.frm.*mariadb-dump/],
    ['a web page', '<!DOCTYPE html><html>', /web page/],
    ['JSON', '[\n{"type":"header"', /JSON/],
    ['nothing', '', /empty/],
    ['a damaged gzip', gzipSync(field.mysqldump57).subarray(0, 200), /damaged or ends early/],
  ])('%s is recognized', async (_, dump, refusal) => {
    await expect(load(dump)).rejects.toThrow(refusal)
  })

  test('a copy of a data directory is recognized', async () => {
    archived(join(root, 'home/bob/data.tar'), ['-cf'], { 'shop/wp_options.frm': 'x', 'shop/wp_options.ibd': 'y' })
    await expect(dumps().importDatabase(request(pathOf('data.tar')))).rejects.toThrow(/data directory.*mariadb-dump/)
  })

  test('a merge adds and keeps the rest; replacing empties', async () => {
    input.as('CREATE TABLE mine (a int); INSERT INTO mine VALUES (7);')
    await load(field.mysqldump57, { replace: false })
    expect(see('SELECT COUNT(*) FROM wp_options; SELECT a FROM mine')).toBe('3\n7\n')
    await load(field.mysqldump57)
    expect(see('SHOW TABLES')).toBe('wp_options\n')
  })

  test.each([false, true])(
    'what MariaDB refuses changes nothing, and is named with its line; replace: %s',
    async (replace) => {
      input.as('CREATE TABLE mine (a int PRIMARY KEY); INSERT INTO mine VALUES (7);')
      const dump = `CREATE TABLE u (a int PRIMARY KEY);\nINSERT INTO u VALUES (1);\n\nINSERT INTO u VALUES (2),\n(1);\n`
      await expect(load(dump, { replace })).rejects.toThrow(
        /^Line 4, INSERT INTO u: Duplicate entry '1' for key 'PRIMARY'\. .* Nothing was changed\. \(MariaDB error 1062\)$/,
      )
      expect(see('SHOW TABLES; SELECT a FROM mine')).toBe('mine\n7\n')
      expect(
        server.ask("SHOW DATABASES LIKE 'panel%'; SELECT User FROM mysql.global_priv WHERE User LIKE 'panel%'"),
      ).toBe('')
    },
  )

  test('a table that is there already: what to do is said', async () => {
    input.as('CREATE TABLE u (a int);')
    await expect(load('CREATE TABLE u (a int);', { replace: false })).rejects.toThrow(
      /^Line 1, CREATE TABLE u: Table 'u' already exists\. .*--replace to empty the database first/,
    )
  })

  test('a failure while it fills puts the former content back', async () => {
    input.as('CREATE TABLE mine (a int); INSERT INTO mine VALUES (7);')
    const failing: FailPoint = async (at) => {
      if (at !== 'restore-copied') return
      server.ask(`DROP TABLE ${input.databases[0]}.mine`)
      throw new Error('it broke')
    }
    for (const replace of [true, false])
      await expect(dumps(failing).importDatabase(request(put(field.mysqldump57), { replace }))).rejects.toThrow(
        'it broke',
      )
    expect(see('SHOW TABLES; SELECT a FROM mine')).toBe('mine\n7\n')
  })

  test('a merge that was cut off begins again from the former content', async () => {
    input.as('CREATE TABLE mine (a int); INSERT INTO mine VALUES (7);')
    const leaving = new AbortController()
    const cut: FailPoint = async (at) => {
      if (at !== 'restore-copied') return
      server.ask(`CREATE TABLE ${input.databases[0]}.u (a int); INSERT INTO ${input.databases[0]}.mine VALUES (8);`)
      leaving.abort(new Error('left'))
      throw new Error('left')
    }
    const order = request(put('CREATE TABLE u (a int);\nINSERT INTO mine VALUES (9);'), { replace: false })
    await expect(dumps(cut).importDatabase(order, { signal: leaving.signal })).rejects.toThrow('left')
    await dumps().importDatabase(order)
    expect(see('SELECT a FROM mine; SELECT COUNT(*) FROM u')).toBe('7\n9\n0\n')
  })

  const hostile: readonly [string, string][] = [
    ['another database', 'DROP TABLE victim_shop.t;'],
    ['rows of another', 'CREATE TABLE x AS SELECT * FROM victim_shop.t;'],
    ['in a comment that runs', '/*!50003 INSERT INTO victim_shop.t VALUES (2) */;'],
    ['by a prepared statement', "SET @q = 'DROP TABLE victim_shop.t'; PREPARE s FROM @q; EXECUTE s;"],
    ['by a routine', 'CREATE PROCEDURE p() DROP TABLE victim_shop.t; CALL p();'],
    ['a file', "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t;"],
    [
      'a file in a comment that runs',
      "CREATE TABLE t (a text); /*!50003 LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t */;",
    ],
    ['rights', "GRANT ALL ON *.* TO 'x'@'%';"],
    ['a log', 'SET GLOBAL general_log = 1; SELECT 1 INTO OUTFILE "/tmp/panel-x";'],
    ['a nested comment', 'CREATE TABLE t (a int) /*!50003 ; /* */ DROP TABLE victim_shop.t; /* */;'],
  ]
  test.each(hostile)('a hostile dump is refused: %s', async (_, dump) => {
    const before = server.ask(
      'SELECT * FROM victim_shop.t; SELECT User, Host FROM mysql.global_priv; SELECT @@general_log;',
    )
    await expect(load(dump)).rejects.toThrow(/./)
    expect(see('SHOW TABLES')).toBe('')
    expect(
      server.ask('SELECT * FROM victim_shop.t; SELECT User, Host FROM mysql.global_priv; SELECT @@general_log;'),
    ).toBe(before)
  })

  test('what only MyISAM can hold stays MyISAM', async () => {
    const dump =
      'CREATE TABLE a (g int NOT NULL, n int NOT NULL AUTO_INCREMENT, PRIMARY KEY (g, n)) ENGINE=MyISAM;\nINSERT INTO a (g) VALUES (1),(1),(2);'
    expect(await load(dump)).toMatchObject({ rows: 3 })
    expect(see('SELECT g, n FROM a ORDER BY g, n')).toBe('1\t1\n1\t2\n2\t1\n')
  })

  test.each<[DumpCompression, string]>([
    ['gzip', 'out.sql.gz'],
    ['zstd', 'out.sql.zst'],
    ['none', 'out.sql'],
  ])('an export can be imported again, without definers: %s', async (compression, name) => {
    await load(field.mysqldump80)
    const to = { path: pathOf(name), overwrite: false }
    const about = { account: input.bob, database: input.databases[0]!, compression, to }
    const { bytes } = await dumps().exportDatabase({ ...about, id: idOf(imports++) })
    expect(bytes).toBe(readFileSync(join(root, 'home/bob', name)).length)
    if (compression === 'none') {
      const text = readFileSync(join(root, 'home/bob', name), 'utf8')
      expect(text).not.toMatch(/DEFINER=|sandbox/)
      expect(text).toMatch(/^-- Dump completed/m)
    }
    const other = { name: input.databases[1]!, collation: 'utf8mb4_unicode_ci' } as const
    expect(await dumps().importDatabase(request(pathOf(name), { database: other }))).toMatchObject({ rows: 3 })
    expect(see(`SELECT COUNT(*) FROM ${other.name}.names; CALL ${other.name}.count_them(@n); SELECT @n`)).toBe('3\n3\n')
    await expect(dumps().exportDatabase({ ...about, id: idOf(imports++) })).rejects.toThrow('already a file')
  })
})
