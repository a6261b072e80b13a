import type { Definer } from '../backup/definer.ts'
import type { DumpWarning } from '../contract/commands/dumps.ts'
import { type Collations, knownCollation } from './collations.ts'
import { DumpError } from './error.ts'
import { pauseEvent } from './events.ts'
import { fixIndex, fixIndexes } from './indexes.ts'
import { type DumpReport, MAX_OBJECTS, MAX_WARNINGS } from './report.ts'
import { type DumpSession, settle } from './session.ts'
import type { Rules, Statement } from './splitter.ts'
import { Code, printable } from './statement.ts'
import { fixTable } from './tables.ts'

export interface ImportRuleOptions {
  readonly collations: Collations
  /** Which database to take, of a dump of several. */
  readonly from?: string | undefined
  readonly keepsEngines?: boolean | undefined
  /** The line of a statement to be named in the report. */
  readonly line?: number | undefined
}

const systemDatabases = new Set(['mysql', 'information_schema', 'performance_schema', 'sys'])

const clientCommands = new Set(
  'SOURCE SYSTEM TEE NOTEE PAGER NOPAGER EDIT CONNECT STATUS CHARSET REHASH PROMPT PRINT EXIT QUIT HELP'.split(' '),
)
/** They lead nowhere in an import, and do no harm when they are missing. */
const needless: Readonly<Record<string, string>> = {
  ANALYZE: 'an import needs none',
  CHECK: 'an import needs none',
  CHECKSUM: 'an import needs none',
  OPTIMIZE: 'an import needs none',
  REPAIR: 'an import needs none',
  FLUSH: "it is the whole server's",
  CHANGE: "it is the whole server's",
  RESET: "it is the whole server's",
  STOP: "it is the whole server's",
  SHOW: 'an import shows no results',
  SELECT: 'an import shows no results',
  EXPLAIN: 'an import shows no results',
  DESCRIBE: 'an import shows no results',
  DESC: 'an import shows no results',
}
const changesRows = new Set(['UPDATE', 'DELETE', 'TRUNCATE', 'RENAME', 'INSERT', 'REPLACE'])
const transactions = new Set(['COMMIT', 'ROLLBACK', 'START', 'BEGIN', 'SAVEPOINT', 'RELEASE'])
/** Kinds of objects in a database. */
const objects = new Set('TABLE VIEW TRIGGER PROCEDURE FUNCTION EVENT SEQUENCE PACKAGE INDEX'.split(' '))
const isDatabase = (code: Code, at: number): boolean => code.isWord(at, 'DATABASE', 'SCHEMA')
const beforeKind = [
  'OR',
  'REPLACE',
  'TEMPORARY',
  'UNIQUE',
  'FULLTEXT',
  'SPATIAL',
  'AGGREGATE',
  'ONLINE',
  'OFFLINE',
  'IGNORE',
]
const beforeName = [
  'IF',
  'NOT',
  'EXISTS',
  'BODY',
  'LOW_PRIORITY',
  'DELAYED',
  'HIGH_PRIORITY',
  'QUICK',
  'IGNORE',
  'INTO',
  'FROM',
  'TABLE',
]

interface RefusedStatement {
  readonly line: number
  readonly kind: string
  /** Where it stands: the database that was in use. */
  readonly database: string
}

interface Part {
  readonly tables: Set<string>
  rows: number
}

/**
 * Decides on each statement of a dump: what an import runs, what it runs otherwise, and what it leaves out. Others are
 * collected, all of a dump. What it does not recognize cannot do harm either: the user that runs the statements has the
 * privileges of one database.
 */
export class ImportRules implements Rules {
  readonly #options: ImportRuleOptions
  readonly #parts = new Map<string, Part>()
  readonly #names = new Set<string>()
  readonly #warnings = new Map<string, { line: number; count: number }>()
  readonly #refusals: RefusedStatement[] = []
  readonly #definers: Definer[] = []
  readonly #session: DumpSession = { saysCharset: false, escapes: true }
  #refused = 0
  #database = ''
  #rowsOf: Part | undefined
  #tool: 'mysqldump' | 'phpMyAdmin' | undefined
  #isComplete = false
  #isOpen = false
  #toolError: DumpWarning | undefined
  #last = ''
  #found: { line: number; text: string } | undefined

  constructor(options: ImportRuleOptions) {
    this.#options = options
  }

  get escapes(): boolean {
    return this.#session.escapes
  }

  get saysCharset(): boolean {
    return this.#session.saysCharset
  }

  comment(text: string, line: number): void {
    if (/^-- (?:MySQL|MariaDB) dump /.test(text)) this.#tool = 'mysqldump'
    if (/^-- phpMyAdmin SQL Dump/.test(text)) this.#tool = 'phpMyAdmin'
    if (/^-- Dump completed/.test(text)) this.#isComplete = true
    const [, name] = /^-- (?:Host: .*\s)?Database: `?([^`\s]+)`?\s*$/.exec(text) ?? []
    if (name !== undefined) this.#names.add(name)
    if (/^-- (?:mysqldump|mariadb-dump): |^-- Warning: /i.test(text)) this.isForeign(text.slice(3), line)
  }

  isForeign(text: string, line: number): boolean {
    if (text.startsWith('<')) throw this.#cutBy(text, line)
    const isMessage = /^(?:mysqldump|mariadb-dump|mysql|mariadb)(?:\.exe)?: /i.test(text)
    const isWarning =
      /^(?:[\w.-]+: )?\[?(?:Warning|Note|Deprecated)\]?:? /i.test(text) || /Using a password/i.test(text)
    if (isWarning || /^Enter password:\s*$/i.test(text)) {
      this.#warn(`“${printable(text)}” left out: it is a message of the program that made the dump`, line)
      return true
    }
    if (isMessage) this.#toolError ??= { line, reason: printable(text) }
    return isMessage
  }

  #cutBy(text: string, line: number): DumpError {
    const words = printable(
      text
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    return new DumpError(
      `Line ${line} is a web page's error and no SQL: ${words || printable(text)}. The program that made the dump broke off there${this.#after()}: make the dump again.`,
    )
  }

  statement(statement: Statement): Buffer | undefined {
    const code = new Code(statement)
    this.#look(code)
    const isRun = this.#decide(code)
    if (!isRun || this.#isSkipped(this.#databaseOf(code))) return undefined
    this.#unqualifyNames(code)
    return code.edited()
  }

  insert(beginning: Statement): Buffer | undefined {
    const code = new Code(beginning)
    this.#look(code)
    const database = this.#databaseOf(code)
    if (systemDatabases.has(database) && database !== this.#database) {
      this.#refuse(code, `${code.word(0)} into ${database}`)
      return undefined
    }
    this.#rowsOf = this.#part(database)
    this.#rowsOf.tables.add(this.#target(code).name)
    this.#refuseMany(this.#rowsOf)
    if (this.#isSkipped(database)) return undefined
    this.#unqualifyNames(code)
    return code.edited()
  }

  inserted(rows: number): void {
    if (this.#rowsOf) this.#rowsOf.rows += rows
    this.#rowsOf = undefined
  }

  /** What it found; throws what prevents an import, all of it at once. */
  report(bytes: number, end: { readonly isCut: boolean; readonly line: number }): DumpReport {
    const database = this.#chosen()
    this.#refuseCut(end)
    this.#refuseAll(database)
    const parts = [this.#parts.get(''), database === '' ? undefined : this.#parts.get(database)]
    const tables = new Set(parts.flatMap((part) => [...(part?.tables ?? [])]))
    return {
      tables: tables.size,
      rows: parts.reduce((sum, part) => sum + (part?.rows ?? 0), 0),
      bytes,
      ...(database !== '' && { database }),
      definers: this.#definers,
      warnings: this.#warningList(),
      ...(this.#found && { found: this.#found.text }),
    }
  }

  #warningList(): DumpWarning[] {
    return [...this.#warnings].map(([reason, { line, count }]) => ({
      line,
      reason: count > 1 ? `${reason} (${count} times)` : reason,
    }))
  }

  /** The one database that the dump is of, or the one that was asked for. */
  #chosen(): string {
    const { from } = this.#options
    const content = [...this.#parts.keys()].filter((name) => name !== '')
    const own = content.filter((name) => !systemDatabases.has(name.toLowerCase()))
    if (from !== undefined && this.#parts.has(from)) return from
    if (from !== undefined && content.length > 0)
      throw new DumpError(`The dump has no database ${from}: it has ${listed(content)}.`)
    if (own.length > 1)
      throw new DumpError(
        `The dump has several databases: ${listed(own)}. An import takes one: say which with --from NAME.`,
      )
    if (own.length === 0 && content.length > 0)
      throw new DumpError(`The dump is of ${listed(content)}, a database of MariaDB itself: dump that of the site.`)
    return own[0] ?? ''
  }

  #refuseCut({ isCut, line }: { readonly isCut: boolean; readonly line: number }): void {
    if (this.#toolError)
      throw new DumpError(
        `The program that made the dump reported an error in line ${this.#toolError.line}: ${this.#toolError.reason}. The dump is incomplete: make it again.`,
      )
    const isShort = (this.#tool === 'mysqldump' && !this.#isComplete) || (this.#tool === 'phpMyAdmin' && this.#isOpen)
    if (isCut || isShort)
      throw new DumpError(
        `The dump ends early, in line ${line}${this.#after()}: it is incomplete. Nothing was imported; make or upload it again.`,
      )
    if (this.#last === '' && this.#refused === 0) throw new DumpError('The file has no SQL statements.')
  }

  #after(): string {
    return this.#last === '' ? '' : ` (last: ${this.#last})`
  }

  #refuseAll(database: string): void {
    const found = this.#refusals.filter((one) => one.database === '' || one.database === database)
    if (found.length === 0) return
    const more = this.#refused > found.length ? ` and ${this.#refused - found.length} more` : ''
    const list = found.slice(0, MAX_NAMED).map(({ line, kind }) => `line ${line}: ${kind}`)
    const rest = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : more
    throw new DumpError(
      `The dump has statements that an import does not run: ${list.join('; ')}${rest}. Remove them, or dump the database alone and without users.`,
    )
  }

  #part(database: string): Part {
    const part = this.#parts.get(database) ?? { tables: new Set<string>(), rows: 0 }
    if (this.#parts.size >= MAX_DATABASES) throw new DumpError(`The dump has more than ${MAX_DATABASES} databases.`)
    this.#parts.set(database, part)
    return part
  }

  #refuseMany({ tables }: Part): void {
    if (tables.size > MAX_OBJECTS) throw new DumpError(`The dump has more than ${MAX_OBJECTS} tables.`)
  }

  /** While nothing is chosen, all of it is reviewed. */
  #isSkipped(database: string): boolean {
    const { from } = this.#options
    return from !== undefined && database !== '' && database !== from
  }

  #look(code: Code): void {
    const { line } = this.#options
    if (line !== undefined && code.line <= line) this.#found = { line: code.line, text: titleOf(code) }
    if (code.isWord(0, 'CREATE', 'INSERT', 'REPLACE')) this.#last = titleOf(code)
    else if (this.#last === '' && code.length > 0) this.#last = code.word(0)
    if (code.isWord(0, 'START') || (code.isWord(0, 'BEGIN') && code.length === 1)) this.#isOpen = true
    if (code.isWord(0, 'COMMIT')) this.#isOpen = false
  }

  #warn(reason: string, line: number): void {
    if (this.#isSkipped(this.#database)) return
    const known = this.#warnings.get(reason)
    if (known) known.count++
    else if (this.#warnings.size < MAX_WARNINGS) this.#warnings.set(reason, { line, count: 1 })
  }

  #refuse(code: Code, kind: string): false {
    if (this.#isSkipped(this.#database)) return false
    this.#refused++
    if (this.#refusals.length < MAX_REFUSALS)
      this.#refusals.push({ line: code.line, kind: printable(kind), database: this.#database })
    return false
  }

  #decide(code: Code): boolean {
    const word = code.word(0)
    const warn = (reason: string): void => this.#warn(reason, code.line)
    if (word === 'SET') return this.#set(code, warn)
    if (word === 'USE') return this.#use(code)
    if (word === 'CREATE') return this.#create(code, warn)
    if (word === 'DROP') return this.#drop(code, warn)
    if (word === 'ALTER') return this.#alter(code, warn)
    if (word === 'LOCK' || word === 'UNLOCK')
      return code.isWord(1, 'TABLE', 'TABLES') ? false : this.#refuse(code, word)
    if (changesRows.has(word)) return this.#changeRows(code)
    if (transactions.has(word)) return this.#transaction(code)
    return this.#other(code, warn)
  }

  #set(code: Code, warn: (reason: string) => void): boolean {
    this.#replaceCollations(code)
    const settled = settle(code, this.#session, warn)
    return settled === 'refuse' ? this.#refuse(code, `SET ${code.word(1)}`) : settled === 'keep'
  }

  #use(code: Code): boolean {
    this.#database = code.value(1)
    this.#names.add(this.#database)
    return false
  }

  #transaction(code: Code): boolean {
    const isPlain = !code.isWord(0, 'BEGIN') || code.length === 1 || code.isWord(1, 'WORK')
    return isPlain || this.#refuse(code, 'BEGIN … END')
  }

  #changeRows(code: Code): boolean {
    if (code.isWord(0, 'RENAME') && !code.isWord(1, 'TABLE', 'TABLES'))
      return this.#refuse(code, `RENAME ${code.word(1)}`)
    if (this.#writesFile(code)) return this.#refuse(code, 'INTO OUTFILE')
    return this.#isOwnTarget(code)
  }

  #isOwnTarget(code: Code): boolean {
    const database = this.#databaseOf(code)
    const isForeign = systemDatabases.has(database.toLowerCase()) && database !== this.#database
    return !isForeign || this.#refuse(code, `${code.word(0)} in the database ${database}`)
  }

  #writesFile(code: Code): boolean {
    for (let at = 1; at < code.length; at++)
      if (code.isWord(at, 'INTO') && code.isWord(at + 1, 'OUTFILE', 'DUMPFILE')) return true
    return false
  }

  #other(code: Code, warn: (reason: string) => void): boolean {
    const word = code.word(0)
    if (this.#writesFile(code)) return this.#refuse(code, `${word} … INTO OUTFILE`)
    if (code.raw(0) === '\\') return this.#refuse(code, `the client's command \\${code.raw(1).slice(0, 1)}`)
    if (clientCommands.has(word)) return this.#refuse(code, `the client's command ${word.toLowerCase()}`)
    const reason = Object.hasOwn(needless, word) ? needless[word] : undefined
    if (reason === undefined) return this.#refuse(code, titleOf(code))
    warn(`${word} left out: ${reason}`)
    return false
  }

  #create(code: Code, warn: (reason: string) => void): boolean {
    const at = this.#afterDefiner(code, code.after(1, ...beforeKind))
    if (isDatabase(code, at)) return this.#leaveDatabase(code, at, warn)
    const kind = code.word(at)
    if (!objects.has(kind)) return this.#refuse(code, `CREATE ${kind}`)
    if (kind === 'FUNCTION' && this.#isLoaded(code, at)) return this.#refuse(code, 'CREATE FUNCTION … SONAME')
    if (!this.#isOwnTarget(code)) return false
    this.#replaceCollations(code)
    if (kind === 'TABLE') this.#fixTable(code, warn)
    if (kind === 'EVENT') pauseEvent(code, this.#afterName(code, at + 1))
    this.#countObject(code, kind)
    return kind !== 'INDEX' || fixIndex(code, { from: at, to: code.length }, warn)
  }

  #fixTable(code: Code, warn: (reason: string) => void): void {
    fixTable(code, { keepsEngines: this.#options.keepsEngines ?? false, warn })
    fixIndexes(code, warn)
  }

  #countObject(code: Code, kind: string): void {
    const part = this.#part(this.#databaseOf(code))
    const { name } = this.#target(code)
    if (kind === 'TABLE') part.tables.add(name)
    if (kind === 'VIEW') part.tables.delete(name)
    this.#refuseMany(part)
  }

  #isLoaded(code: Code, at: number): boolean {
    const end = Math.min(code.length, at + 12)
    for (let next = at; next < end; next++) if (code.isWord(next, 'SONAME')) return true
    return false
  }

  #leaveDatabase(code: Code, at: number, warn: (reason: string) => void): boolean {
    const name = code.value(code.after(at + 1, 'IF', 'NOT', 'EXISTS'))
    if (code.isWord(0, 'CREATE')) this.#names.add(name)
    warn(`${code.word(0)} DATABASE ${printable(name)} left out: the dump goes into the database that was chosen`)
    return false
  }

  /** Passes the clauses before an object's kind, and takes the definer out. */
  #afterDefiner(code: Code, from: number): number {
    let at = from
    for (;;) {
      if (code.isWord(at, 'ALGORITHM') && code.isWord(at + 1, '=')) at += 3
      else if (code.isWord(at, 'SQL') && code.isWord(at + 1, 'SECURITY')) at += 3
      else if (code.isWord(at, 'DEFINER') && code.isWord(at + 1, '=')) at = this.#takeDefiner(code, at)
      else return code.after(at, ...beforeKind)
      at = code.after(at, ...beforeKind)
    }
  }

  #takeDefiner(code: Code, at: number): number {
    const user = code.value(at + 2)
    const hasHost = code.isWord(at + 3, '@')
    const isCurrent = code.isWord(at + 2, 'CURRENT_USER', 'CURRENT_ROLE')
    const end = hasHost ? at + 4 : isCurrent && code.isWord(at + 3, '(') ? at + 4 : at + 2
    code.replace(at, end)
    const kind = code.after(end + 1, 'SQL', 'SECURITY', 'DEFINER', 'INVOKER', ...beforeKind)
    const name = this.#nameAt(code, code.after(kind + 1, ...beforeName)).name
    if (!isCurrent && objects.has(code.word(kind)) && this.#definers.length < MAX_OBJECTS)
      this.#definers.push({
        kind: kindOf(code, kind),
        name,
        user: user.slice(0, 255),
        host: hasHost ? code.value(at + 4).slice(0, 255) : '%',
      })
    return end + 1
  }

  #drop(code: Code, warn: (reason: string) => void): boolean {
    const at = code.after(1, ...beforeKind)
    if (isDatabase(code, at)) return this.#leaveDatabase(code, at, warn)
    if (!objects.has(code.word(at))) return this.#refuse(code, `DROP ${code.word(at)}`)
    return this.#isOwnTarget(code)
  }

  #alter(code: Code, warn: (reason: string) => void): boolean {
    const at = this.#afterDefiner(code, code.after(1, ...beforeKind))
    if (isDatabase(code, at)) return this.#alterDatabase(code, at)
    const kind = code.word(at)
    if (!objects.has(kind)) return this.#refuse(code, `ALTER ${kind}`)
    if (!this.#isOwnTarget(code)) return false
    this.#replaceCollations(code)
    if (kind === 'TABLE') this.#fixTable(code, warn)
    if (kind === 'EVENT') pauseEvent(code, this.#afterName(code, at + 1))
    return true
  }

  /** mysqldump sets a database's character set before its routines and back after them. */
  #alterDatabase(code: Code, at: number): boolean {
    const isNamed = !code.isWord(at + 1, 'CHARACTER', 'CHARSET', 'COLLATE', 'DEFAULT')
    if (!code.isWord(isNamed ? at + 2 : at + 1, 'CHARACTER', 'CHARSET', 'COLLATE', 'DEFAULT'))
      return this.#refuse(code, 'ALTER DATABASE')
    if (isNamed) code.replace(at + 1, at + 1)
    this.#replaceCollations(code)
    return true
  }

  #replaceCollations(code: Code): void {
    for (let at = 1; at < code.length; at++) {
      const name = code.value(at)
      if (!name.includes('0900') || code.token(at)!.kind === 'mark') continue
      const isCollation = code.token(at)!.kind === 'word' || code.isWord(at - 1, 'COLLATE', '=')
      const known = isCollation ? knownCollation(name, this.#options.collations) : undefined
      if (known === undefined) continue
      code.replace(at, at, known)
      this.#warn(`the collation ${name} became ${known}: MariaDB does not have MySQL's`, code.line)
    }
  }

  /** Takes the dump's own database out of names: `shop`.`users` is `users`. */
  #unqualifyNames(code: Code): void {
    if (this.#names.size === 0) return
    const tables = this.#parts.get(this.#databaseOf(code))?.tables
    for (let at = 1; at + 2 < code.length; at++) {
      if (!code.isWord(at + 1, '.') || code.isWord(at - 1, '.') || !code.isName(at) || !code.isName(at + 2)) continue
      const name = code.value(at)
      const isThree = code.isWord(at + 3, '.')
      if (this.#names.has(name) && (isThree || !tables?.has(name))) code.replace(at, at + 1)
    }
  }

  /** The position of what a statement is about. */
  #target(code: Code): { readonly database?: string; readonly name: string } {
    const word = code.word(0)
    let at = code.after(1, ...beforeKind)
    if (word === 'CREATE' || word === 'ALTER' || word === 'DROP') {
      while (at < code.length && !objects.has(code.word(at)) && at < MAX_WORDS_BEFORE_KIND) at++
      at++
    }
    return this.#nameAt(code, code.after(at, ...beforeName))
  }

  #afterName(code: Code, from: number): number {
    const at = code.after(from, ...beforeName)
    return code.isWord(at + 1, '.') ? at + 3 : at + 1
  }

  #nameAt(code: Code, at: number): { readonly database?: string; readonly name: string } {
    if (!code.isWord(at + 1, '.')) return { name: code.value(at) }
    return { database: code.value(at), name: code.value(at + 2) }
  }

  /** The database that a statement is about: the one it names, or the one in use. */
  #databaseOf(code: Code): string {
    const { database } = this.#target(code)
    if (database === undefined || !isAbout(code)) return this.#database
    if (this.#names.size === 0 && !systemDatabases.has(database.toLowerCase())) this.#names.add(database)
    return database
  }
}

/** Whether its name is that of a table or another object. */
const isAbout = (code: Code): boolean =>
  code.isWord(0, 'CREATE', 'ALTER', 'DROP', 'INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'TRUNCATE')

const MAX_REFUSALS = 1000
const MAX_NAMED = 20
const MAX_DATABASES = 1000
const MAX_WORDS_BEFORE_KIND = 16

const kindOf = (code: Code, at: number): Definer['kind'] =>
  code.isWord(at, 'PACKAGE') && code.isWord(at + 1, 'BODY') ? 'PACKAGE BODY' : (code.word(at) as Definer['kind'])

const listed = (names: readonly string[]): string => {
  const some = names.slice(0, MAX_NAMED).map(printable).join(', ')
  return names.length > MAX_NAMED ? `${some} and ${names.length - MAX_NAMED} more` : some
}

/** `CREATE TABLE wp_posts`, `INSERT INTO wp_posts`, `GRANT`. */
function titleOf(code: Code): string {
  const words: string[] = []
  for (let at = 0; at < Math.min(code.length, MAX_WORDS_BEFORE_KIND); at++) {
    const token = code.token(at)!
    if (token.kind === 'mark' || token.kind === 'text' || code.isWord(at, 'VALUES', 'VALUE', 'SET')) break
    words.push(code.value(at))
    if (token.kind === 'name') break
    if (words.length === MAX_TITLE_WORDS) break
  }
  return printable(words.join(' ')) || printable(code.raw(0))
}
const MAX_TITLE_WORDS = 6
