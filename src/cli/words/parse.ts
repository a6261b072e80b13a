import { exit } from '../../shared/exit.ts'
import { CliError, usage } from '../errors.ts'
import { type Command, table } from '../table.ts'
import { instead } from './aliases.ts'
import { printTopic } from './help.ts'
import { formats, longName, operationsOf, optionsOf } from './options.ts'
import { buildProgram, type Run } from './program.ts'
import { commandOf, plainPlaces } from './read.ts'

/** Runs the full parser, which prints help and explains errors. */
export async function parse(words: readonly string[], run: Run): Promise<void> {
  if (printTopic(words)) return
  const typed = withFile(words)
  const program = buildProgram(typed, run)
  if (words.length === 0) return program.outputHelp()
  try {
    await program.parseAsync(explicit(typed), { from: 'user' })
  } catch (error) {
    if (!isHelp(error)) throw asUsage(error, words)
  }
}

/** `mysql export x --output shop.sql`: a value other than an output format names the file. */
function withFile(words: readonly string[]): readonly string[] {
  if (words[0] !== 'mysql' || words[1] !== 'export') return words
  const isFile = (value: string | undefined): boolean => value !== undefined && !formats.some((one) => one === value)
  return words.map((word, at) => {
    if ((word === '--output' || word === '-o') && isFile(words[at + 1])) return '--file'
    return word.startsWith('--output=') && isFile(word.slice('--output='.length))
      ? word.replace('--output', '--file')
      : word
  })
}

/** `help x` as `x --help`; for an unknown command without `--help`, so that the parser reports the error. */
function explicit(words: readonly string[]): readonly string[] {
  const requested = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  const names = untilOption(requested)
  return requested.some(isHelpFlag) && !isKnown(names) ? names : requested
}

const isHelpFlag = (word: string): boolean => word === '--help' || word === '-h'

function untilOption(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith('-'))
  return end < 0 ? words : words.slice(0, end)
}

/** Whether the words lead to a command or a group, whatever follows. */
const isKnown = (names: readonly string[]): boolean =>
  names.includes('help') ||
  table.commands.some(({ words }) => names.every((name, i) => i >= words.length || words[i] === name))

interface CommanderFailure {
  readonly code: string
  readonly exitCode: number
  readonly message: string
}

const isCommanderFailure = (error: unknown): error is CommanderFailure =>
  typeof (error as CommanderFailure | undefined)?.code === 'string' &&
  (error as CommanderFailure).code.startsWith('commander.')

const isHelp = (error: unknown): boolean => isCommanderFailure(error) && error.exitCode === exit.ok

function unknownCommand(words: readonly string[]): CliError {
  const plain = plainPlaces(words)
  const typed = plain.map((place) => words[place] ?? '')
  const { word, hint } = instead(typed[0] === 'help' ? typed.slice(1) : typed)
  return usage(`unknown command '${word}'`, hint)
}

/** Converts the parser's error for an invalid command line. */
function asUsage(error: unknown, words: readonly string[]): unknown {
  if (error instanceof CliError || !isCommanderFailure(error)) return error
  if (error.code === 'commander.help') return usage('a command is missing', 'see --help')
  if (error.code === 'commander.unknownCommand') return unknownCommand(words)
  const [first = '', second] = error.message.replace(/^error: /, '').split('\n')
  return usage(first, hintFor(error, words) ?? second?.replace(/^\((.*)\)$/, '$1'))
}

/** The option or command that the user probably wanted. */
function hintFor({ code, message }: CommanderFailure, words: readonly string[]): string | undefined {
  const command = commandOf(words, table)
  if (!command) return undefined
  const [, option] = /unknown option '--([\w-]+)/.exec(message) ?? []
  if (code === 'commander.unknownOption' && option !== undefined) return optionHint(command, option)
  return code === 'commander.excessArguments' ? argumentHint(command) : undefined
}

/** Options that another command has. */
const elsewhere: Readonly<Record<string, string>> = {
  'apps update domain': 'to serve a domain by it: panel domains update DOMAIN --app APP',
  'apps create domain': 'to serve a domain by it: panel domains update DOMAIN --app APP',
}

function optionHint(command: Command, option: string): string | undefined {
  const other = elsewhere[[...command.words, option].join(' ')]
  const longer = optionsOf(command, table)
    .filter(({ hidden }) => !hidden)
    .map(longName)
    .find((name) => name.split('-').includes(option))
  return other ?? (longer && `did you mean ${longer}?`)
}

function argumentHint(command: Command): string | undefined {
  const fields = operationsOf(command, table)[0]?.fields ?? []
  const required = fields.find(
    ({ required, option, place }) => required && place === 'body' && !command.args.includes(option),
  )
  if (required) return `the ${required.option} is given as --${required.option}`
  const isSearched = fields.some(({ option, place }) => option === SEARCH && place === 'query')
  const list = ['panel', ...command.words, `--${SEARCH}`, 'TEXT'].join(' ')
  return isSearched ? `to search the list: ${list}; to find anything by its name: panel lookup NAME` : undefined
}

const SEARCH = 'search'
