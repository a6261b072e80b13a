import { runOwn } from './commands/index.ts'
import { checkOptions } from './input/check.ts'
import { type Invocation, namesSeveral } from './invocation.ts'
import type { Reported } from './output/report.ts'
import { reportedHow, reporting } from './reporting.ts'
import { runOperation } from './run.ts'
import { severalContexts } from './target/choose.ts'
import { forbidColours } from './terminal.ts'
import { plainPlaces, readWords } from './words/read.ts'

/** The command line: reads the words, runs the command, sets the exit code. */
export async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--no-color')) forbidColours()
  let ran: Invocation | undefined
  const run = (invocation: Invocation): Promise<void> => {
    ran = invocation
    return runOne(invocation, words)
  }
  await reporting(
    words,
    () => ran,
    async () => {
      const invocation = readWords(words)
      return invocation ? run(invocation) : explained(words, run)
    },
  )
}

/** Handles errors, help, and words from other tools. */
async function explained(words: readonly string[], run: (invocation: Invocation) => Promise<void>): Promise<void> {
  const { expanded, guessed, translated } = await import('./words/aliases.ts')
  const full = expanded(words, plainPlaces(words))
  const meant = translated(full, plainPlaces(full))
  const invocation = meant.join() === words.join() ? undefined : readWords(meant)
  if (invocation) return run(invocation)
  const guess = guessed(full, meant)
  const probable = guess && readWords(guess)
  if (probable) return run(probable)
  const { parse } = await import('./words/parse.ts')
  await parse(guess ?? meant, run)
}

async function runOne(invocation: Invocation, words: readonly string[]): Promise<void> {
  const { command, globals } = invocation
  await checkOptions(invocation)
  // Commands without a server ignore the context in the environment.
  const named = globals.context !== undefined || globals.allContexts || !command.own
  const names = named || command.own === 'whoami' ? severalContexts(globals) : undefined
  if (!names) return runLocally(invocation, reportedHow(words, invocation))
  const { runOnMany } = await import('./run/run-on-servers.ts')
  await runOnMany(invocation, names, reportedHow(words, invocation))
}

async function runLocally(invocation: Invocation, reported: Reported): Promise<void> {
  if (invocation.command.own) return runOwn(invocation)
  if (!namesSeveral(invocation)) return runOperation(invocation)
  const { runOnEach } = await import('./run/run-on-objects.ts')
  await runOnEach(invocation, reported)
}
