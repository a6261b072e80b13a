import { exit } from '../../shared/exit.ts'
import { CliError, usage } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { type Reported, report } from '../output/report.ts'
import { runOperation } from '../run.ts'

/** Runs a command on several objects in sequence. A failure does not stop the rest; the highest exit code wins. */
export async function runOnEach(invocation: Invocation, how: Reported): Promise<void> {
  for (const option of ['confirm', 'idempotency-key'])
    if (invocation.option(option) !== undefined) throw usage(`--${option} works on one object at a time`)
  const answers: unknown[] = []
  let worst = 0
  for (const [at, run] of runsOf(invocation, answers).entries()) {
    const name = run.positionals.at(-1) ?? ''
    const failure = await runOperation(withoutHeaders(run, at)).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure === undefined) continue
    await report(failure, { ...how, subject: name })
    worst = Math.max(worst, Number(process.exitCode))
    if (endsAll(failure)) break
  }
  if (answers.length > 0) await printDocument(invocation.globals, answers)
  if (worst > 0) process.exitCode = worst
}

function runsOf(invocation: Invocation, answers: unknown[]): Invocation[] {
  const { positionals, command, globals } = invocation
  const shared = positionals.slice(0, command.args.length - 1)
  const isDocument = globals.output === 'json' || globals.output === 'yaml'
  return positionals.slice(shared.length).map((name) => ({
    ...invocation,
    positionals: [...shared, name],
    several: true as const,
    ...(isDocument && { answers }),
  }))
}

/** Prints the table's headers only once. */
const withoutHeaders = (invocation: Invocation, at: number): Invocation =>
  at === 0 ? invocation : { ...invocation, option: (name) => (name === 'headers' ? false : invocation.option(name)) }

/** Whether the rest would fail the same way. */
const endsAll = (failure: unknown): boolean =>
  !(failure instanceof CliError) || failure.exit === exit.network || failure.exit === exit.interrupted
