import { exit } from '../shared/exit.ts'
import { CliError, usage } from './errors.ts'
import { printTopic } from './help.ts'
import { buildProgram, type Run } from './program.ts'

/** Runs what was typed by the parser that explains: help, and what is wrong with the words. */
export async function parse(words: readonly string[], run: Run): Promise<void> {
  if (printTopic(words)) return
  const program = buildProgram(words, run)
  if (words.length === 0) return program.outputHelp()
  try {
    await program.parseAsync(words[0] === 'help' ? [...words.slice(1), '--help'] : words, { from: 'user' })
  } catch (error) {
    if (!isHelp(error)) throw asUsage(error)
  }
}

interface CommanderFault {
  readonly code: string
  readonly exitCode: number
  readonly message: string
}

const isFault = (error: unknown): error is CommanderFault =>
  typeof (error as CommanderFault | undefined)?.code === 'string' &&
  (error as CommanderFault).code.startsWith('commander.')

const isHelp = (error: unknown): boolean => isFault(error) && error.exitCode === exit.ok

/** A wrong command line, in the words of the parser. */
function asUsage(error: unknown): unknown {
  if (error instanceof CliError || !isFault(error)) return error
  if (error.code === 'commander.help') return usage('a command is missing', 'see --help')
  const [first = '', second] = error.message.replace(/^error: /, '').split('\n')
  return usage(first, second?.replace(/^\((.*)\)$/, '$1'))
}
