import type { Code } from './statement.ts'

/** Engines that stay; all others become InnoDB, whose tables are counted, and saved as of one moment. */
const engines = new Set(['INNODB', 'MEMORY', 'HEAP', 'CSV'])
/** Of other servers, or that lead out of the database. Their value follows. */
const foreignOptions = new Set([
  'CONNECTION',
  'TABLESPACE',
  'ENCRYPTION',
  'COMPRESSION',
  'AUTOEXTEND_SIZE',
  'SECONDARY_ENGINE',
  'ENGINE_ATTRIBUTE',
  'SECONDARY_ENGINE_ATTRIBUTE',
  'UNION',
  'INSERT_METHOD',
])
const directories = new Set(['DATA', 'INDEX'])

export interface TableRules {
  /** Leave engines that the server has, for tables that InnoDB cannot hold. */
  readonly keepsEngines: boolean
  warn(reason: string): void
}

/** Changes what a table's statement says of engines and of places outside the database. */
export function fixTable(code: Code, { keepsEngines, warn }: TableRules): void {
  let depth = 0
  for (let at = 1; at < code.length; at++) {
    const word = code.word(at)
    if (word === '(') depth++
    if (word === ')') depth--
    if (directories.has(word) && code.isWord(at + 1, 'DIRECTORY')) {
      remove(code, at, afterEquals(code, at + 2))
      warn(`${word} DIRECTORY left out: a table's data is where MariaDB keeps it`)
    }
    if (word === 'ENGINE' || (word === 'TYPE' && depth === 0 && code.isWord(at + 1, '=')))
      setEngine(code, at, keepsEngines, warn)
    if (depth === 0 && foreignOptions.has(word) && isOption(code, at)) {
      remove(code, at, endOfValue(code, afterEquals(code, at + 1)))
      warn(`${word} left out: an import does not take this option of tables`)
    }
  }
}

/** An option follows the columns or another option, and has a value. */
const isOption = (code: Code, at: number): boolean =>
  code.isWord(at + 1, '=') || ['text', 'quoted'].includes(code.token(at + 1)?.kind ?? '')

const afterEquals = (code: Code, at: number): number => (code.isWord(at, '=') ? at + 1 : at)

function endOfValue(code: Code, at: number): number {
  if (!code.isWord(at, '(')) return at
  let end = at
  while (end < code.length - 1 && !code.isWord(end, ')')) end++
  return end
}

/** With the comma that would be left over. */
function remove(code: Code, from: number, to: number): void {
  code.replace(code.isWord(from - 1, ',') ? from - 1 : from, to)
}

function setEngine(code: Code, at: number, keepsEngines: boolean, warn: (reason: string) => void): void {
  const value = afterEquals(code, at + 1)
  const engine = code.value(value)
  if (!code.isName(value) || !/^\w{1,64}$/.test(engine)) return
  const name = engine.toUpperCase()
  const stays = engines.has(name) || (keepsEngines && (name === 'MYISAM' || name === 'ARIA'))
  // TYPE is what servers before MySQL 5.5 called it.
  if (!stays || code.isWord(at, 'TYPE')) code.replace(at, value, `ENGINE=${stays ? engine : 'InnoDB'}`)
  if (!stays) warn(`ENGINE=${engine} became InnoDB`)
}
