import { runOwn } from './commands/index.ts'
import { checkOptions } from './input/check.ts'
import type { Invocation } from './invocation.ts'
import type { Reported } from './output/report.ts'
import { runOperation } from './run.ts'
import { type Field, operationOf } from './table.ts'
import { severalContexts } from './target/choose.ts'
import { forbidColours } from './terminal.ts'
import { wantsJson } from './words/globals.ts'
import { plainPlaces, readWords } from './words/read.ts'

/** The command line: reads the words, runs the command, sets the exit code. */
export async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--no-color')) forbidColours()
  let ran: Invocation | undefined
  const run = (invocation: Invocation): Promise<void> => {
    ran = invocation
    return runOne(invocation, words)
  }
  try {
    const invocation = readWords(words)
    await (invocation ? run(invocation) : explained(words, run))
  } catch (error) {
    const { report } = await import('./output/report.ts')
    await report(error, how(words, ran))
  }
}

/** What the shell offers for a line that is being typed. */
export async function complete(words: readonly string[]): Promise<void> {
  const completion = await import('./completion/complete.ts')
  await completion.complete(words)
}

/** What is wrong, a question, or in the words of another tool. */
async function explained(words: readonly string[], run: (invocation: Invocation) => Promise<void>): Promise<void> {
  const { translated } = await import('./words/aliases.ts')
  const meant = translated(words, plainPlaces(words))
  const invocation = meant.join() === words.join() ? undefined : readWords(meant)
  if (invocation) return run(invocation)
  const { parse } = await import('./words/parse.ts')
  await parse(meant, run)
}

const how = (words: readonly string[], ran?: Invocation): Reported => ({
  asJson: wantsJson(words),
  fields: ran ? fieldsOf(ran) : [],
})

async function runOne(invocation: Invocation, words: readonly string[]): Promise<void> {
  const { command, globals } = invocation
  await checkOptions(invocation)
  // What the environment names is no concern of commands that talk to no server.
  const named = globals.context !== undefined || globals.allContexts || !command.own
  const names = named || command.own === 'whoami' ? severalContexts(globals) : undefined
  if (!names) return runHere(invocation, how(words, invocation))
  const { runOnMany } = await import('./many.ts')
  await runOnMany(invocation, names, how(words, invocation))
}

async function runHere(invocation: Invocation, reported: Reported): Promise<void> {
  if (invocation.command.own) return runOwn(invocation)
  if (!namesSeveral(invocation)) return runOperation(invocation)
  const { runOnEach } = await import('./each.ts')
  await runOnEach(invocation, reported)
}

const namesSeveral = ({ command, positionals }: Invocation): boolean =>
  command.many === true && positionals.length > command.args.length

const fieldsOf = ({ command }: Invocation): readonly Field[] =>
  [command.operation, command.twin].flatMap((id) => (id ? operationOf(id).fields : []))
