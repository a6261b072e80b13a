import { type Invocation, textOption } from '../invocation.ts'
import type { Operation } from '../table.ts'
import { note } from '../terminal.ts'
import { at } from './cells.ts'

interface Made {
  readonly sent: unknown
  readonly answer: unknown
}

/** Prints remarks on a new object: what it lacks, and on a terminal what was omitted and is never shown again. */
export function remarkOn(invocation: Invocation, operation: Operation, { sent, answer }: Made): void {
  const object = operation.show ? at(answer, operation.show) : answer
  for (const [field, text] of Object.entries(operation.lacking ?? {}))
    if ((at(object, field) as readonly unknown[] | undefined)?.length === 0) note(filled(text, object, invocation))
  if (process.stderr.isTTY) remarkToPeople(invocation, operation, { sent, answer }, object)
}

function remarkToPeople(invocation: Invocation, operation: Operation, { sent, answer }: Made, object: unknown): void {
  for (const [field, text] of Object.entries(operation.unless ?? {}))
    if (at(sent, field) === undefined) note(filled(text, object, invocation))
  const once = (operation.once ?? []).filter((field) => at(answer, field) !== undefined && isPrinted(invocation, field))
  if (once.length > 0) note(`Keep the ${once.join(' and ').replaceAll('_', ' ')} now: it is not shown again.`)
}

const filled = (text: string, object: unknown, { command, positionals }: Invocation): string =>
  text.replace(/\{(\w+)\}/g, (_complete, name: string) =>
    String(at(object, name) ?? positionals[command.args.indexOf(name)] ?? ''),
  )

function isPrinted(invocation: Invocation, field: string): boolean {
  const columns = textOption(invocation, 'columns')?.split(',') ?? [field]
  return (
    textOption(invocation, 'select') === undefined && invocation.globals.output !== 'name' && columns.includes(field)
  )
}
