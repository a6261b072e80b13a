import { exit } from '../shared/exit.ts'
import { CliError, type ProblemDocument } from './errors.ts'
import type { Field } from './table.ts'
import { paintFor, printable, tell } from './terminal.ts'

const unexpected = (error: unknown): CliError => {
  const title = error instanceof Error ? error.message : String(error)
  return new CliError(exit.error, { type: 'panel:internal', title })
}

/** Prints an error on standard error and sets the exit code. */
export async function report(error: unknown, asJson: boolean, fields: readonly Field[]): Promise<void> {
  const known = error instanceof CliError ? error : unexpected(error)
  process.exitCode = known.exit
  if (!(error instanceof CliError) && process.env['PANEL_DEBUG']) tell(`${(error as Error).stack}\n`)
  tell(asJson ? `${JSON.stringify(known.problem)}\n` : await readable(known.problem, fields))
}

async function readable(problem: ProblemDocument, fields: readonly Field[]): Promise<string> {
  const paint = await paintFor(process.stderr)
  const faults = Object.entries(problem.fields ?? {})
  const lines = [
    `${paint('red', 'error:')} ${printable(problem.title)}`,
    ...(problem.detail && faults.length === 0 ? [`  ${printable(problem.detail)}`] : []),
    ...faults.map(([name, message]) => `  - ${calledBy(name, fields)}: ${printable(message)}`),
    ...(problem.hint ? [`${paint('dim', 'hint:')} ${printable(problem.hint)}`] : []),
    ...(problem.request_id ? [`${paint('dim', 'request id:')} ${printable(problem.request_id)}`] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** The option that carries a field, where there is one. */
function calledBy(name: string, fields: readonly Field[]): string {
  const field = fields.find((one) => one.name === name && !one.internal)
  return field ? `--${field.option}` : name
}
