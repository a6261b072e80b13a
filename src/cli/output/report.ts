import { exit } from '../../shared/exit.ts'
import { systemSentence } from '../../shared/system-error.ts'
import { CliError, type ProblemDocument } from '../errors.ts'
import type { TypedField } from '../table.ts'
import { oneLine, paintFor, writeError } from '../terminal.ts'

const unexpected = (error: unknown): CliError => {
  const title = systemSentence(error) ?? (error instanceof Error ? error.message : String(error))
  return new CliError(exit.error, { type: 'panel:problems/internal', title })
}

/** How an error is printed. */
export interface Reported {
  readonly asJson: boolean
  /** The fields that it may name, as they were typed. */
  readonly fields: readonly TypedField[]
  /** The server, if there are several. */
  readonly server?: string
  /** The object, if there are several. */
  readonly subject?: string
}

/** Prints an error on standard error and sets the exit code. */
export async function report(error: unknown, { asJson, fields, server, subject }: Reported): Promise<void> {
  const known = error instanceof CliError ? error : unexpected(error)
  process.exitCode = known.exit
  if (!(error instanceof CliError) && process.env['PANEL_DEBUG']) writeError(`${(error as Error).stack}\n`)
  if (asJson)
    return writeError(
      `${JSON.stringify({ ...(server && { server }), ...(subject && { subject }), ...known.problem })}\n`,
    )
  writeError(await readable(known.problem, fields, server ?? subject))
}

async function readable(problem: ProblemDocument, fields: readonly TypedField[], where?: string): Promise<string> {
  const paint = await paintFor(process.stderr)
  const problems = Object.entries(problem.fields ?? {})
  const lines = [
    `${paint('red', 'error:')} ${where ? `${oneLine(where)}: ` : ''}${oneLine(problem.title)}`,
    ...(problem.detail && problems.length === 0 ? [`  ${oneLine(problem.detail)}`] : []),
    ...problems.map(([name, message]) => `  - ${oneLine(calledBy(name, fields))}: ${oneLine(message)}`),
    ...(problem.hint ? [`${paint('dim', 'hint:')} ${oneLine(problem.hint)}`] : []),
    ...(problem.request_id ? [`${paint('dim', 'request id:')} ${oneLine(problem.request_id)}`] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** The option or argument of a field, if it has one. */
const calledBy = (name: string, fields: readonly TypedField[]): string =>
  fields.find((one) => one.name === name && !one.internal)?.called ?? name
