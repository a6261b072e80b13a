import type { Code } from './statement.ts'

/** What dumps set for their own session. */
const allowed = new Set([
  'SQL_MODE',
  'TIME_ZONE',
  'FOREIGN_KEY_CHECKS',
  'UNIQUE_CHECKS',
  'CHECK_CONSTRAINT_CHECKS',
  'AUTOCOMMIT',
  'SQL_NOTES',
  'NOTE_VERBOSITY',
  'SQL_AUTO_IS_NULL',
  'SQL_QUOTE_SHOW_CREATE',
  'SQL_SAFE_UPDATES',
  'SQL_SELECT_LIMIT',
  'SQL_BIG_SELECTS',
  'CHARACTER_SET_CLIENT',
  'CHARACTER_SET_RESULTS',
  'CHARACTER_SET_CONNECTION',
  'COLLATION_CONNECTION',
  'GROUP_CONCAT_MAX_LEN',
  'NET_READ_TIMEOUT',
  'NET_WRITE_TIMEOUT',
  'TIMESTAMP',
  'INSERT_ID',
  'LAST_INSERT_ID',
  'SYSTEM_VERSIONING_ALTER_HISTORY',
  'EXPLICIT_DEFAULTS_FOR_TIMESTAMP',
])
/** Set for an import anyway. */
const silent = new Set([
  'DEFAULT_STORAGE_ENGINE',
  'STORAGE_ENGINE',
  'INNODB_STRICT_MODE',
  'SQL_LOG_BIN',
  'SQL_REQUIRE_PRIMARY_KEY',
  'SQL_GENERATE_INVISIBLE_PRIMARY_KEY',
  'INFORMATION_SCHEMA_STATS_EXPIRY',
  'WAIT_TIMEOUT',
  'INTERACTIVE_TIMEOUT',
  'MAX_ALLOWED_PACKET',
])
const everybodys = new Set(['GLOBAL', 'PERSIST', 'PERSIST_ONLY'])
const own = new Set(['SESSION', 'LOCAL'])

export interface DumpSession {
  /** Whether the dump says in which character set it is. */
  saysCharset: boolean
  escapes: boolean
}

/** `keep`: what is left of it; `drop`: nothing is; `refuse`: it sets more than variables. */
export type Settled = 'keep' | 'drop' | 'refuse'

/** Leaves out what a SET would change for the whole server, and what an import does not know. */
export function settle(code: Code, session: DumpSession, warn: (reason: string) => void): Settled {
  if (code.isWord(1, 'NAMES', 'CHARACTER', 'CHARSET')) {
    session.saysCharset = true
    return 'keep'
  }
  if (code.isWord(1, 'PASSWORD', 'ROLE', 'DEFAULT', 'STATEMENT', 'RESOURCE')) return 'refuse'
  if (code.isWord(1, 'TRANSACTION') || (code.isWord(1, 'SESSION') && code.isWord(2, 'TRANSACTION'))) return 'keep'
  const parts = assignments(code)
  const dropped = parts.filter((part) => !isAllowed(code, part, session, warn))
  if (dropped.length === parts.length) return 'drop'
  const isFirstDropped = dropped[0] === parts[0]
  for (const part of dropped) {
    const [from, to] = part
    if (isFirstDropped) code.replace(from, Math.min(to + 1, code.length - 1))
    else code.replace(from - 1, to)
  }
  return 'keep'
}

type Range = readonly [from: number, to: number]

/** Between the commas that are not in parentheses. */
function assignments(code: Code): Range[] {
  const parts: Range[] = []
  let from = 1
  let depth = 0
  for (let at = 1; at < code.length; at++) {
    if (code.isWord(at, '(')) depth++
    if (code.isWord(at, ')')) depth--
    if (depth > 0 || !code.isWord(at, ',')) continue
    parts.push([from, at - 1])
    from = at + 1
  }
  return [...parts, [from, code.length - 1]]
}

function isAllowed(code: Code, [from]: Range, session: DumpSession, warn: (reason: string) => void): boolean {
  const isVariable = code.isWord(from, '@') && code.isWord(from + 1, '@')
  if (code.isWord(from, '@') && !isVariable) return true
  let at = isVariable ? from + 2 : from
  const scope = code.word(at)
  const name = () => code.value(at).toUpperCase()
  if (everybodys.has(scope)) {
    at = code.isWord(at + 1, '.') ? at + 2 : at + 1
    warn(`SET GLOBAL ${printedName(name())} left out: it is the whole server's`)
    return false
  }
  if (own.has(scope)) at = code.isWord(at + 1, '.') ? at + 2 : at + 1
  return isOwn(code, at, name(), session, warn)
}

function isOwn(code: Code, at: number, name: string, session: DumpSession, warn: (reason: string) => void): boolean {
  if (silent.has(name)) return false
  if (!allowed.has(name)) {
    warn(`SET ${printedName(name)} left out: an import does not set it`)
    return false
  }
  if (name === 'CHARACTER_SET_CLIENT') session.saysCharset = true
  if (name === 'SQL_MODE') setMode(code, at, session)
  return true
}

/** Modes of MySQL alone. */
const foreignModes = /\b(?:TIME_TRUNCATE_FRACTIONAL|ALLOW_INVALID_DATES_V2)\b,?/gi

function setMode(code: Code, at: number, session: DumpSession): void {
  const value = code.isWord(at + 1, ':') ? at + 3 : at + 2
  const kind = code.token(value)?.kind
  session.escapes = !(/NO_BACKSLASH_ESCAPES/i.test(code.raw(value)) && kind !== 'mark')
  const cleaned = code.raw(value).replaceAll(foreignModes, '')
  if (cleaned !== code.raw(value)) code.replace(value, value, cleaned)
}

const printedName = (name: string): string => name.toLowerCase().slice(0, 64)
