import { exit } from '../../shared/exit.ts'
import { CliError, usage } from '../errors.ts'
import { table } from '../table.ts'
import { instead } from './aliases.ts'
import { printTopic } from './help.ts'
import { buildProgram, type Run } from './program.ts'
import { plainPlaces } from './read.ts'

/** Runs what was typed by the parser that explains: help, and what is wrong with the words. */
export async function parse(words: readonly string[], run: Run): Promise<void> {
  if (printTopic(words)) return
  const program = buildProgram(words, run)
  if (words.length === 0) return program.outputHelp()
  try {
    await program.parseAsync(explicit(words), { from: 'user' })
  } catch (error) {
    if (!isHelp(error)) throw asUsage(error, words)
  }
}

/** `help x` as `x --help`; for an unknown command without `--help`, so that the parser reports it. */
function explicit(words: readonly string[]): readonly string[] {
  const asked = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  const names = untilOption(asked)
  return asked.some(isHelpFlag) && !isKnown(names) ? names : asked
}

const isHelpFlag = (word: string): boolean => word === '--help' || word === '-h'

function untilOption(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith('-'))
  return end < 0 ? words : words.slice(0, end)
}

/** Whether the names lead to a command or a group, whatever follows the command. */
const isKnown = (names: readonly string[]): boolean =>
  names.includes('help') ||
  table.commands.some(({ words }) => names.every((name, i) => i >= words.length || words[i] === name))

interface CommanderFault {
  readonly code: string
  readonly exitCode: number
  readonly message: string
}

const isFault = (error: unknown): error is CommanderFault =>
  typeof (error as CommanderFault | undefined)?.code === 'string' &&
  (error as CommanderFault).code.startsWith('commander.')

const isHelp = (error: unknown): boolean => isFault(error) && error.exitCode === exit.ok

function unknownCommand(words: readonly string[]): CliError {
  const plain = plainPlaces(words)
  const typed = plain.map((place) => words[place] ?? '')
  const { word, hint } = instead(typed[0] === 'help' ? typed.slice(1) : typed)
  return usage(`unknown command '${word}'`, hint)
}

/** A wrong command line, in the words of the parser. */
function asUsage(error: unknown, words: readonly string[]): unknown {
  if (error instanceof CliError || !isFault(error)) return error
  if (error.code === 'commander.help') return usage('a command is missing', 'see --help')
  if (error.code === 'commander.unknownCommand') return unknownCommand(words)
  const [first = '', second] = error.message.replace(/^error: /, '').split('\n')
  return usage(first, second?.replace(/^\((.*)\)$/, '$1'))
}
