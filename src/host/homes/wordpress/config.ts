import type { configProblems } from '../../contract/files.ts'
import { type PhpToken, phpTokens } from './php-tokens.ts'

type ConfigProblem = (typeof configProblems)[number]

/** A value that is written in the file, or named as a variable of the environment. */
type ConfigValue = { readonly text: string } | { readonly env: string; readonly otherwise?: string }

/** What is written in a `wp-config.php`, or in what it includes. */
export interface WrittenConfig {
  readonly constants: ReadonlyMap<string, ConfigValue>
  readonly prefix?: ConfigValue | undefined
  readonly problem?: ConfigProblem | undefined
  /** Whether it includes `config/application.php` of the directory above, as Bedrock does. */
  readonly isBedrock: boolean
}

export function readConfig(code: string): WrittenConfig {
  const tokens = phpTokens(code)
  const isBedrock = tokens.some(({ kind, text }) => kind === 'literal' && text.endsWith('/config/application.php'))
  return { constants: constantsIn(tokens), prefix: prefixIn(tokens), problem: problemIn(tokens), isBedrock }
}

/** The first definition counts, as in PHP. */
function constantsIn(tokens: readonly PhpToken[]): Map<string, ConfigValue> {
  const constants = new Map<string, ConfigValue>()
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'word') continue
    const [name, value] = text.toLowerCase() === 'define' ? definedAt(tokens, at) : constantAt(tokens, at)
    if (name !== undefined && value && !constants.has(name)) constants.set(name, value)
  }
  return constants
}

type Defined = readonly [string, ConfigValue | undefined] | readonly []

/** `define('NAME', value)` */
function definedAt(tokens: readonly PhpToken[], at: number): Defined {
  const [opening, name, comma] = tokens.slice(at + 1, at + 4)
  return opening?.text === '(' && name?.kind === 'literal' && comma?.text === ','
    ? [name.text, valueAt(tokens, at + 4)]
    : []
}

/** `const NAME = value` */
function constantAt(tokens: readonly PhpToken[], at: number): Defined {
  const [name, equals] = tokens.slice(at + 1, at + 3)
  return tokens[at]!.text.toLowerCase() === 'const' && name?.kind === 'word' && equals?.text === '='
    ? [name.text, valueAt(tokens, at + 3)]
    : []
}

function prefixIn(tokens: readonly PhpToken[]): ConfigValue | undefined {
  const at = tokens.findLastIndex(
    ({ kind, text }, index) => kind === 'variable' && text === '$table_prefix' && isAssigned(tokens, index),
  )
  return at < 0 ? undefined : valueAt(tokens, at + 2)
}

const isAssigned = (tokens: readonly PhpToken[], at: number): boolean =>
  tokens[at + 1]?.text === '=' && tokens[at + 2]?.text !== '='

const endings: ReadonlySet<string> = new Set([')', ';', ','])

/** A literal, `true`, or a variable of the environment with what stands for it; other expressions have no value here. */
function valueAt(tokens: readonly PhpToken[], at: number): ConfigValue | undefined {
  const [token, after] = tokens.slice(at, at + 2)
  if (!token || !after) return undefined
  if (token.kind === 'literal' && endings.has(after.text)) return { text: token.text }
  if (token.kind === 'word' && endings.has(after.text)) return { text: token.text.toLowerCase() }
  const name = tokens[at + 2]
  if (!isEnvironment(token, after) || name?.kind !== 'literal') return undefined
  const [question, colon, otherwise] = tokens.slice(at + 4, at + 7)
  const isDefault = otherwise?.kind === 'literal' && /^\?[:?]$/.test(`${question?.text}${colon?.text}`)
  return { env: name.text, ...(isDefault && { otherwise: otherwise.text }) }
}

const isEnvironment = (token: PhpToken, after: PhpToken): boolean =>
  token.kind === 'variable'
    ? /^\$_(?:ENV|SERVER)$/.test(token.text) && after.text === '['
    : token.kind === 'word' && /^(?:get)?env$/i.test(token.text) && after.text === '('

const programs = /^(?:exec|shell_exec|system|passthru|popen|proc_open|pcntl_exec|eval|assert|create_function)$/i
const loops = /^(?:while|for|do|goto)$/i
const stops = /^(?:exit|die|__halt_compiler)$/i

/** What a file of settings does not do: run programs, loop, or end. */
function problemIn(tokens: readonly PhpToken[]): ConfigProblem | undefined {
  let depth = 0
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'symbol') depth += token.text === '{' ? 1 : token.text === '}' ? -1 : 0
    const before = tokens[at - 1]
    if (token.text === '`' && token.kind === 'symbol') return 'config-runs'
    if (token.kind !== 'word' || isMember(before)) continue
    if (programs.test(token.text) && tokens[at + 1]?.text === '(') return 'config-runs'
    if (loops.test(token.text)) return 'config-loops'
    if (stops.test(token.text) && depth === 0 && isStatement(before)) return 'config-stops'
  }
  return undefined
}

const isMember = (before: PhpToken | undefined): boolean => before?.kind === 'symbol' && /^[>:]$/.test(before.text)

/** Whether a statement begins after this token: it is not part of a condition. */
const isStatement = (before: PhpToken | undefined): boolean =>
  before === undefined || (before.kind === 'symbol' && /^[;{}@]$/.test(before.text))
