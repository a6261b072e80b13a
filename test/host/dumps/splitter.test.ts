import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DumpError } from '../../../src/host/dumps/error.ts'
import { type ImportRuleOptions, ImportRules } from '../../../src/host/dumps/import-rules.ts'
import { type Rules, Splitter, type Statement } from '../../../src/host/dumps/splitter.ts'
import { dumps } from '../../field/dumps.ts'
import { runs } from '../../fuzz.ts'

const collations = { uca1400: true, uca0900: false }

function inPieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = []
  for (let [at, n] = [0, 0]; at < bytes.length; n++) {
    const size = Math.max(1, sizes[n % sizes.length] ?? bytes.length)
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

/** What an import would run of a dump, and its report or its refusal. */
function reviewed(dump: string | Buffer, options: Partial<ImportRuleOptions> = {}, sizes: readonly number[] = []) {
  const rules = new ImportRules({ collations, ...options })
  const splitter = new Splitter(rules)
  const bytes = Buffer.from(dump)
  try {
    const out = inPieces(bytes, sizes).map((piece) => splitter.take(piece))
    const end = splitter.end()
    const report = rules.report(bytes.length, { isCut: end.isCut, line: splitter.line })
    return { sql: Buffer.concat([...out, end.bytes]).toString(), report }
  } catch (error) {
    if (!(error instanceof DumpError)) throw error
    return { refusal: error.message }
  }
}

const reasons = (dump: string, options: Partial<ImportRuleOptions> = {}) =>
  reviewed(dump, options).report?.warnings.map(({ line, reason }) => `${line}: ${reason}`)

/** Splits, and changes nothing. */
class Plain implements Rules {
  readonly statements: string[] = []
  escapes = true
  statement({ bytes }: Statement): Buffer {
    this.statements.push(bytes.toString())
    return bytes
  }
  insert({ bytes }: Statement): Buffer {
    this.statements.push(bytes.toString())
    return bytes
  }
  inserted(): void {}
  comment(): void {}
  isForeign(): boolean {
    return false
  }
}

function split(text: string, sizes: readonly number[] = []): string[] {
  const rules = new Plain()
  const splitter = new Splitter(rules)
  for (const piece of inPieces(Buffer.from(text), sizes)) splitter.take(piece)
  splitter.end()
  return rules.statements
}

describe('statements of a dump', () => {
  test.each(Object.entries(dumps))('%s: one table with three rows, in as many lines as before', (_, dump) => {
    const { sql = '', report } = reviewed(dump)
    expect(report).toMatchObject({ tables: 1, rows: 3 })
    expect(sql.split('\n')).toHaveLength(dump.split('\n').length)
    expect(sql).not.toMatch(/^\/\*!\S+ DEFINER|GTID|sandbox|CREATE DATABASE|USE |LOCK TABLES|0900|MyISAM|Aria/m)
  })

  test.each(Object.entries(dumps))('%s: is the same however it is divided', (_, dump) => {
    const undivided = reviewed(dump)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        expect(reviewed(dump, {}, sizes)).toEqual(undivided)
      }),
      runs(60),
    )
  })

  const pieces = fc.constantFrom(
    ...[
      "'",
      '"',
      '`',
      '\\',
      ';',
      ';;',
      '\n',
      ' ',
      '--',
      '-- ',
      '#',
      '/*',
      '*/',
      '/*!',
      '/*!50003 ',
      '/*!80016 ',
      '/*M!100100 ',
    ],
    ...[
      'DELIMITER ;;\n',
      'DELIMITER $$\n',
      '$$',
      '(',
      ')',
      ',',
      'INSERT INTO t VALUES ',
      'CREATE TABLE ',
      'ENGINE=',
      'é',
      '\0',
    ],
    ...['KEY k ', '((', '))', ' INVISIBLE', 'ALTER TABLE t ADD ', 'CREATE INDEX i ON t ', 'CONSTRAINT ', 'UNIQUE '],
    ...['SET ', '@@', 'GLOBAL', 'DEFINER=`a`@`b` ', 'VIEW v ', 'USE x', 'mysqldump: x\n', 'x', 'values', '.', '='],
  )
  test('any bytes: never fails otherwise than by a refusal, and never depends on how they are divided', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
        (words, sizes) => {
          const dump = words.join('')
          expect(reviewed(dump, {}, sizes)).toEqual(reviewed(dump))
          expect(split(dump, sizes)).toEqual(split(dump))
        },
      ),
      runs(3_000),
    )
  })

  const inner = fc.array(
    fc.constantFrom(
      ';',
      '--',
      '#',
      '/*',
      '*/',
      '\n',
      'x',
      'DELIMITER ;;',
      '"',
      '`',
      'DROP TABLE t;',
      '(',
      ')',
      ',',
      'é',
    ),
    { maxLength: 20 },
  )
  const literal = inner.map((words) => `'${words.join('').replaceAll('\\', '\\\\')}'`)
  const names = inner.map((words) => `\`${words.join('').replaceAll('`', '``')}\``)
  test('what is quoted is never taken for a statement', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(literal, names), { minLength: 1, maxLength: 6 }), (pairs) => {
        const statements = pairs.map(([text, name]) => `ALTER TABLE ${name} COMMENT ${text}`)
        expect(split(`${statements.join(';\n')};\n`, [5, 3, 11])).toEqual(statements)
      }),
      runs(500),
    )
  })
})

describe('what is left out or changed is named', () => {
  test.each<[string, string, string[]]>([
    [
      'a collation of MySQL 8',
      'CREATE TABLE t (a text) COLLATE=utf8mb4_0900_ai_ci;',
      ["1: the collation utf8mb4_0900_ai_ci became utf8mb4_uca1400_ai_ci: MariaDB does not have MySQL's"],
    ],
    ['an engine', '\nCREATE TABLE t (a int) ENGINE=ROCKSDB;', ['2: ENGINE=ROCKSDB became InnoDB']],
    [
      'a place of a table',
      "CREATE TABLE t (a int) ENGINE=InnoDB DATA DIRECTORY='/tmp';",
      ["1: DATA DIRECTORY left out: a table's data is where MariaDB keeps it"],
    ],
    [
      'a setting of the server',
      'SET GLOBAL general_log = 1; CREATE TABLE t (a int);',
      ["1: SET GLOBAL general_log left out: it is the whole server's"],
    ],
    [
      'a position of replication',
      "SET @@GLOBAL.GTID_PURGED='x'; CREATE TABLE t (a int);",
      ["1: SET GLOBAL gtid_purged left out: it is the whole server's"],
    ],
    [
      'a message',
      'Enter password: \nCREATE TABLE t (a int);',
      ['1: “Enter password:” left out: it is a message of the program that made the dump'],
    ],
    [
      'an index of an expression',
      'CREATE TABLE t (a int, KEY `f` ((lower(`a`))), KEY `g` (`a`));\nCREATE UNIQUE INDEX h ON t (a, (a + 1));',
      [
        '1: the index f left out: MariaDB does not index expressions',
        '2: the index h left out: MariaDB does not index expressions',
      ],
    ],
    [
      'twice',
      'CREATE TABLE t (a int) ENGINE=x;\nCREATE TABLE u (a int) ENGINE=x;',
      ['1: ENGINE=x became InnoDB (2 times)'],
    ],
  ])('%s', (_, dump, expected) => {
    expect(reasons(dump)).toEqual(expected)
  })

  test('a quoted text of the same words is left as it is', () => {
    const dump = "INSERT INTO t VALUES ('ENGINE=MyISAM COLLATE utf8mb4_0900_ai_ci DEFINER=`a`@`b`; USE x;');"
    expect(reviewed(dump)).toMatchObject({ sql: dump, report: { warnings: [], rows: 1 } })
  })

  test.each<[string, string]>([
    [
      'CREATE TABLE t (visible int, KEY i (visible) VISIBLE, INDEX j (a ASC) USING BTREE INVISIBLE);',
      'CREATE TABLE t (visible int, KEY i (visible) , INDEX j (a ASC) USING BTREE IGNORED);',
    ],
    [
      'CREATE TABLE t (a int INVISIBLE, `key` int CHECK ((`a` > 0)), CONSTRAINT c UNIQUE KEY u (a, (a + 1)) COMMENT "(");',
      'CREATE TABLE t (a int INVISIBLE, `key` int CHECK ((`a` > 0)));',
    ],
    ['ALTER TABLE t ADD KEY a ((x)), ADD KEY b ((y)), ADD KEY c (z);', 'ALTER TABLE t   ADD KEY c (z);'],
    ['ALTER TABLE t ADD KEY a ((x));', 'ALTER TABLE t ;'],
    ['ALTER TABLE t DROP KEY x, ADD KEY a ((x)), ADD b int;', 'ALTER TABLE t DROP KEY x, ADD b int;'],
    ['CREATE INDEX i ON t (a) VISIBLE;', 'CREATE INDEX i ON t (a) ;'],
    ['CREATE TABLE t LIKE u;', 'CREATE TABLE t LIKE u;'],
    ['CREATE TABLE t (a int, KEY i', ''],
  ])('MySQL 8 says of indexes: %s', (dump, sql) => {
    expect(reviewed(dump).sql ?? '').toBe(sql)
  })

  test('the DOS end-of-file mark at the end of a text is not a statement', () => {
    expect(reviewed('CREATE TABLE t (a int);\r\n\u001a').report).toMatchObject({ tables: 1, warnings: [] })
  })

  test('without MariaDB 10.10 the collation is the one before', () => {
    const { sql } = reviewed('CREATE TABLE t (a text) COLLATE=utf8mb4_0900_as_cs;', {
      collations: { uca1400: false, uca0900: false },
    })
    expect(sql).toContain('COLLATE=utf8mb4_bin;')
  })
})

describe('refused as a whole, with all that is wrong', () => {
  test.each<[string, string, RegExp]>([
    [
      'rights',
      "CREATE TABLE t (a int);\nGRANT ALL ON *.* TO 'x';\nCREATE USER 'x';\nLOAD DATA INFILE '/etc/passwd' INTO TABLE t;",
      /line 2: GRANT ALL ON; line 3: CREATE USER; line 4: LOAD DATA INFILE/,
    ],
    ['a file of the client', "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t;", /line 1: LOAD DATA LOCAL INFILE/],
    ['a file that is written', "SELECT 1 INTO OUTFILE '/tmp/x';", /INTO OUTFILE/],
    ['a library', "CREATE FUNCTION f RETURNS int SONAME 'x.so';", /SONAME/],
    ['a command of the client', '\\! touch /tmp/x;', /the client's command \\!/],
    ['another', 'source /etc/passwd;', /the client's command source/],
    ['a database of the server', "INSERT INTO mysql.user VALUES ('x');", /INSERT into mysql/],
    ['a password', "SET PASSWORD = 'x';", /SET PASSWORD/],
    ['in an executable comment', "/*!50003 GRANT ALL ON *.* TO 'x' */;", /line 1: GRANT/],
    ['after a comment', "/* x */ -- y\nGRANT ALL ON *.* TO 'x';", /line 2: GRANT/],
  ])('%s', (_, dump, refusal) => {
    expect(reviewed(dump).refusal).toMatch(refusal)
  })

  test('several databases need a choice, and one is taken', () => {
    const dump = 'USE a;\nCREATE TABLE t (a int);\nUSE b;\nCREATE TABLE u (a int);\nINSERT INTO u VALUES (1);'
    expect(reviewed(dump).refusal).toBe(
      'The dump has several databases: a, b. An import takes one: say which with --from NAME.',
    )
    expect(reviewed(dump, { from: 'b' })).toMatchObject({ report: { database: 'b', tables: 1, rows: 1 } })
    expect(reviewed(dump, { from: 'b' }).sql).not.toContain('CREATE TABLE t')
    expect(reviewed(dump, { from: 'c' }).refusal).toBe('The dump has no database c: it has a, b.')
  })

  test('databases of the server itself are passed over in a dump of all', () => {
    const dump = "USE mysql;\nCREATE TABLE user (a int);\nGRANT ALL ON *.* TO 'x';\nUSE shop;\nCREATE TABLE t (a int);"
    expect(reviewed(dump)).toMatchObject({ report: { database: 'shop', tables: 1 } })
  })
})

describe('a dump that ends early is refused, with where', () => {
  const { mysqldump57, phpMyAdmin } = dumps
  test.each<[string, string]>([
    ['within rows', mysqldump57.slice(0, mysqldump57.indexOf('Kaffee'))],
    ['between statements', mysqldump57.slice(0, mysqldump57.indexOf('UNLOCK'))],
    ['of phpMyAdmin', phpMyAdmin.slice(0, phpMyAdmin.indexOf('COMMIT'))],
  ])('%s', (_, dump) => {
    expect(reviewed(dump).refusal).toMatch(
      /^The dump ends early, in line \d+ \(last: INSERT INTO wp_options\): it is incomplete\./,
    )
  })

  test('with the error that the program reported', () => {
    const dump = `${mysqldump57.slice(0, mysqldump57.indexOf('UNLOCK'))}mysqldump: Error 2013: Lost connection\n`
    expect(reviewed(dump).refusal).toMatch(/reported an error in line \d+: mysqldump: Error 2013: Lost connection/)
  })

  test('with the error of a web page', () => {
    const dump = `${phpMyAdmin.slice(0, phpMyAdmin.indexOf('ALTER'))}<br />\n<b>Fatal error</b>: Maximum execution time`
    expect(reviewed(dump).refusal).toMatch(/is a web page's error/)
  })

  test('nothing in it', () => {
    expect(reviewed('-- nothing\n').refusal).toBe('The file has no SQL statements.')
  })
})
