import { usage } from '../errors.ts'
import { countOption } from '../input/values.ts'
import { type Globals, type Invocation, textOption } from '../invocation.ts'
import { type Column, columnsOf, type Operation } from '../table.ts'
import { forEyes } from '../terminal.ts'
import { columnIn } from './shape.ts'

/** How an answer is shown. Settled once, before anything is sent: a change that was made must not end as a typing error. */
export interface View extends Pick<Globals, 'output' | 'quiet'> {
  readonly columns: readonly Column[]
  readonly headers: boolean
  /** The field of an answer that holds what is shown. */
  readonly part?: string
  /** A JMESPath expression. */
  readonly select?: string
  /** The field rows are sorted by; `-field` for descending. */
  readonly sort?: string
  readonly limit: Limit
}

/** How many items of a list are asked for. */
export interface Limit {
  readonly most: number
  /** It was not asked for, but is a screenful for a terminal. */
  readonly implied: boolean
}

/** The view of what an operation answers. With several servers, each row says whose it is. */
export function viewOf(invocation: Invocation, operation: Operation, several = false): View {
  const asked = textOption(invocation, 'columns')?.split(',')
  const names = asked?.map((name) => name.trim()) ?? operation.columns
  const shape = several ? [server, ...columnsOf(operation)] : columnsOf(operation)
  const shown = names.length === 0 ? shape : names.map((name) => columnCalled(shape, name))
  checkSort(shape, textOption(invocation, 'sort'))
  return {
    ...viewWith(invocation, several && !asked && names.length > 0 ? [server, ...shown] : shown),
    ...(operation.show && { part: operation.show }),
  }
}

const server: Column = { field: 'server' }

/** The view of what a command itself has to say. */
export function viewWith(invocation: Invocation, columns: readonly Column[] = []): View {
  const { output, quiet } = invocation.globals
  const [select, sort] = [textOption(invocation, 'select'), textOption(invocation, 'sort')]
  return {
    output,
    quiet,
    columns,
    headers: invocation.option('headers') !== false,
    limit: limitOf(invocation),
    ...(select !== undefined && { select }),
    ...(sort !== undefined && { sort }),
  }
}

const screenful = 100

/** A terminal gets a screenful where nothing else is asked for, and a script everything. */
function limitOf({ globals, option }: Invocation): Limit {
  const given = option('limit')
  if (typeof given === 'string') return { most: countOption('limit', given), implied: false }
  const implied = !option('all') && globals.output === 'table' && !globals.quiet && forEyes()
  return { most: implied ? screenful : Number.POSITIVE_INFINITY, implied }
}

function columnCalled(shape: readonly Column[], name: string): Column {
  const column = columnIn(shape, name)
  if (column) return column
  throw usage(`there is no column ${name}`, `columns: ${shape.map(({ field }) => field).join(', ')}`)
}

function checkSort(shape: readonly Column[], order: string | undefined): void {
  if (order !== undefined) columnCalled(shape, order.replace(/^-/, ''))
}
