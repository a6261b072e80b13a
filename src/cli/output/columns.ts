import { usage } from '../errors.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { type Column, type Operation, table } from '../table.ts'
import { columnIn } from './shape.ts'

const shapeOf = (operation: Operation): readonly Column[] => table.shapes[operation.shape ?? ''] ?? []

/** The columns asked for, else those of the operation, else all. */
export function columnsFor(invocation: Invocation, operation: Operation): readonly Column[] {
  const asked = textOption(invocation, 'columns')?.split(',')
  const names = asked?.map((name) => name.trim()) ?? operation.columns
  if (names.length === 0) return shapeOf(operation)
  return names.map((name) => columnOf(operation, name))
}

function columnOf(operation: Operation, name: string): Column {
  const shape = shapeOf(operation)
  const column = columnIn(shape, name)
  if (column) return column
  throw usage(`there is no column ${name}`, `columns: ${shape.map(({ field }) => field).join(', ')}`)
}

/** Refuses a wrong `--columns` or `--sort` before anything is sent. */
export function checkColumns(invocation: Invocation, operation: Operation): void {
  columnsFor(invocation, operation)
  const order = textOption(invocation, 'sort')
  if (order !== undefined) columnOf(operation, order.replace(/^-/, ''))
}
