import { type Invocation, textOption } from '../invocation.ts'
import type { Operation } from '../table.ts'
import { note } from '../terminal.ts'
import { at } from './cells.ts'

interface Made {
  readonly sent: unknown
  readonly answer: unknown
}

/** Prints remarks on a new object: what was omitted, and what is never shown again. */
export function remarkOn(invocation: Invocation, operation: Operation, { sent, answer }: Made): void {
  for (const [field, text] of Object.entries(operation.unless ?? {}))
    if (at(sent, field) === undefined) note(filled(text, operation.show ? at(answer, operation.show) : answer))
  const once = (operation.once ?? []).filter((field) => at(answer, field) !== undefined && isPrinted(invocation, field))
  if (once.length > 0) note(`Keep the ${once.join(' and ').replaceAll('_', ' ')} now: it is not shown again.`)
}

const filled = (text: string, object: unknown): string =>
  text.replace(/\{(\w+)\}/g, (_complete, name: string) => String(at(object, name) ?? ''))

function isPrinted(invocation: Invocation, field: string): boolean {
  const columns = textOption(invocation, 'columns')?.split(',') ?? [field]
  return (
    textOption(invocation, 'select') === undefined && invocation.globals.output !== 'name' && columns.includes(field)
  )
}
