import { type Invocation, typedField } from './invocation.ts'
import type { Reported } from './output/report.ts'
import { operationOf, type TypedField } from './table.ts'
import { wantsJson } from './words/globals.ts'

/** Runs a command line; prints errors and sets the exit code. `ran` is what was parsed of it. */
export async function reporting(
  words: readonly string[],
  ran: () => Invocation | undefined,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { report } = await import('./output/report.ts')
    await report(error, reportedHow(words, ran()))
  }
}

/** How to print a command line's errors. */
export const reportedHow = (words: readonly string[], ran?: Invocation): Reported => ({
  asJson: wantsJson(words),
  fields: ran ? fieldsOf(ran) : [],
})

const fieldsOf = (ran: Invocation): readonly TypedField[] =>
  [ran.command.operation, ran.command.variant].flatMap((id) =>
    id ? operationOf(id).fields.map((field) => typedField(ran, field)) : [],
  )
