import { checkOptions } from './input/check.ts'
import { type Invocation, namesSeveral } from './invocation.ts'
import { reporting } from './reporting.ts'
import { runOperation } from './run.ts'
import { severalContexts } from './target/choose.ts'
import { forbidColours } from './terminal.ts'
import { readWords } from './words/read.ts'

/**
 * Runs a fully valid command line for one operation on one object of one server. For any other it returns false and
 * does nothing: `main` handles all, but loads more slowly.
 */
export async function quick(words: readonly string[]): Promise<boolean> {
  const invocation = understood(words)
  if (!invocation) return false
  if (words.includes('--no-color')) forbidColours()
  await reporting(
    words,
    () => invocation,
    async () => {
      await checkOptions(invocation)
      await runOperation(invocation)
    },
  )
  return true
}

function understood(words: readonly string[]): Invocation | undefined {
  try {
    const invocation = readWords(words)
    const isPlain = invocation && !invocation.command.own && !namesSeveral(invocation)
    return isPlain && !severalContexts(invocation.globals) ? invocation : undefined
  } catch {
    return undefined
  }
}
