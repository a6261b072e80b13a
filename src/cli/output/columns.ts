import { usage } from '../errors.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { type Column, columnsOf, type Operation } from '../table.ts'
import { severalContexts } from '../target/choose.ts'
import { columnIn } from './shape.ts'

const server: Column = { field: 'server' }

/** With several servers, each row says whose it is. */
function shapeOf(invocation: Invocation, operation: Operation): readonly Column[] {
  const shape = columnsOf(operation)
  return severalContexts(invocation.globals) ? [server, ...shape] : shape
}

/** The columns asked for, else those of the operation, else all. */
export function columnsFor(invocation: Invocation, operation: Operation): readonly Column[] {
  const asked = textOption(invocation, 'columns')?.split(',')
  const names = asked?.map((name) => name.trim()) ?? operation.columns
  const shape = shapeOf(invocation, operation)
  if (names.length === 0) return shape
  const shown = names.map((name) => columnIn(shape, name) ?? missing(shape, name))
  return asked || shape[0] !== server ? shown : [server, ...shown]
}

function missing(shape: readonly Column[], name: string): never {
  throw usage(`there is no column ${name}`, `columns: ${shape.map(({ field }) => field).join(', ')}`)
}

/** Refuses a wrong `--columns` or `--sort` before anything is sent. */
export function checkColumns(invocation: Invocation, operation: Operation): void {
  columnsFor(invocation, operation)
  const order = textOption(invocation, 'sort')
  if (order === undefined) return
  const shape = shapeOf(invocation, operation)
  const name = order.replace(/^-/, '')
  if (!columnIn(shape, name)) missing(shape, name)
}
