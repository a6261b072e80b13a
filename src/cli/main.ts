import type { Command as Commander } from 'commander'
import { exit } from '../shared/exit.ts'
import { runOwn } from './commands/index.ts'
import { CliError, codeOf, usage, withHint } from './errors.ts'
import { printTopic } from './help.ts'
import type { Invocation } from './invocation.ts'
import { severalContexts } from './profile.ts'
import { buildProgram, wantsJson } from './program.ts'
import { type Reported, report } from './report.ts'
import { runOperation } from './run.ts'
import { type Field, operationOf } from './table.ts'
import { forbidColours } from './terminal.ts'

/** The command line: parses the words, runs the command, sets the exit code. */
export async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--no-color')) forbidColours()
  let ran: Invocation | undefined
  const program = buildProgram(words, (invocation) => {
    ran = invocation
    return runOne(invocation, words)
  })
  try {
    await parse(program, words)
  } catch (error) {
    await report(ran ? withTwinNamed(error, ran) : asUsage(error), how(words, ran))
  }
}

const how = (words: readonly string[], ran?: Invocation): Reported => ({
  asJson: wantsJson(words),
  fields: ran ? fieldsOf(ran) : [],
})

async function runOne(invocation: Invocation, words: readonly string[]): Promise<void> {
  const { command, globals } = invocation
  // What the environment names is no concern of commands that talk to no server.
  const named = globals.context !== undefined || globals.allContexts || !command.own
  const names = named || command.own === 'whoami' ? severalContexts(globals) : undefined
  if (!names) return command.own ? runOwn(invocation) : runOperation(invocation)
  const { runOnMany } = await import('./many.ts')
  await runOnMany(invocation, names, how(words, invocation))
}

async function parse(program: Commander, words: readonly string[]): Promise<void> {
  if (printTopic(words)) return
  if (words.length === 0) return program.outputHelp()
  try {
    await program.parseAsync(words[0] === 'help' ? [...words.slice(1), '--help'] : words, { from: 'user' })
  } catch (error) {
    if (!isHelp(error)) throw error
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

/** An account token reaches its own account only: that takes `--account`. */
function withTwinNamed(error: unknown, { command, option }: Invocation): unknown {
  if (!(error instanceof CliError) || codeOf(error.problem) !== 'token-scope') return error
  if (!command.twin || option('account') !== undefined) return error
  return withHint(error, 'with the token of an account, add --account NAME')
}

const fieldsOf = ({ command }: Invocation): readonly Field[] =>
  [command.operation, command.twin].flatMap((id) => (id ? operationOf(id).fields : []))
