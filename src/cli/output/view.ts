import { didYouMean } from '../../shared/similar.ts'
import { usage } from '../errors.ts'
import { countOption, maxListed } from '../input/values.ts'
import { type Globals, type Invocation, textOption } from '../invocation.ts'
import { type Column, columnsOf, type Operation, type Preset } from '../table.ts'
import { isTty } from '../terminal.ts'
import { columnIn } from './shape.ts'

/** How to print a response. Validated before sending, so that a successful change never exits with a usage error. */
export interface View extends Pick<Globals, 'output' | 'quiet' | 'csv' | 'wide'> {
  readonly columns: readonly Column[]
  /** Further fields of a card. */
  readonly details?: readonly Column[]
  /** How a card is divided. */
  readonly groups?: NonNullable<Operation['groups']>
  /** It is of an operation that shows an object. */
  readonly asCard?: true
  readonly headers: boolean
  /** The field with what is shown. */
  readonly part?: string
  /** The list whose items are the table's rows. */
  readonly rows?: string
  /** What else to print. */
  readonly sections?: NonNullable<Operation['sections']>
  /** The response that had the object, whose other fields are sections, too. */
  readonly beside?: unknown
  /** Collects responses that are printed as one document at the end. */
  readonly answers?: unknown[]
  /** The response contains a log, to be printed too. */
  readonly log?: true
  /** The field with a text to be printed below. */
  readonly text?: string
  /** What was sent, for columns that the answer does not have. */
  readonly sent?: object
  /** One of several objects. */
  readonly several?: true
  /** A JMESPath expression. */
  readonly select?: string
  /** The sort field; `-field` for descending. */
  readonly sort?: string
  readonly limit: Limit
}

/** How many items to print. */
export interface Limit {
  readonly max: number
  /** How many to read: all if they are sorted first. */
  readonly read: number
  /** It is the default for a terminal: a screenful. */
  readonly implied: boolean
}

/** The view of an operation's response. With several servers, each row names its server. */
export function viewOf(invocation: Invocation, operation: Operation, several = false): View {
  const columnNames = textOption(invocation, 'columns')?.split(',')
  const preset = presetIn(invocation, operation)
  if (preset && !columnNames) return viewWith(invocation, preset.columns)
  const names = columnNames?.map((name) => name.trim()) ?? (invocation.globals.wide ? [] : operation.columns)
  const shape = several ? [server, ...columnsOf(operation)] : columnsOf(operation)
  const visible =
    names.length === 0
      ? shape.filter(({ field }) => field !== operation.text)
      : names.map((name) => columnCalled(shape, name))
  checkSort(shape, textOption(invocation, 'sort'))
  return {
    ...viewWith(invocation, several && !columnNames && names.length > 0 ? [server, ...visible] : visible),
    ...(operation.show && { part: operation.show }),
    ...(operation.rows && { rows: operation.rows }),
    ...(!columnNames && operation.sections && { sections: operation.sections }),
    ...(!columnNames && operation.log && { log: operation.log }),
    ...(!columnNames && operation.text && { text: operation.text }),
    ...(operation.method === 'GET' && { asCard: true as const }),
    ...(!columnNames && operation.groups && { groups: operation.groups }),
    ...(!columnNames && operation.method === 'GET' && { details: detailsOf(operation, names) }),
  }
}

/** The operation's preset, if its option is given. */
export const presetIn = (invocation: Invocation, { preset }: Operation): Preset | undefined =>
  preset && textOption(invocation, preset.option) !== undefined ? preset : undefined

/** An object's other fields, except ids of others and what is printed below; none if all are columns. */
function detailsOf(operation: Operation, names: readonly string[]): readonly Column[] {
  if (names.length === 0) return []
  const { sections = [], log, text } = operation
  const below = [...sections.map(({ field }) => field), ...(log ? ['log'] : []), ...(text ? [text] : [])]
  return columnsOf(operation).filter(
    ({ field }) => !names.includes(field) && !field.endsWith('_id') && !below.includes(field),
  )
}

const server: Column = { field: 'server' }

/** The view of a command's own output. */
export function viewWith(invocation: Invocation, columns: readonly Column[] = []): View {
  const { output, quiet, csv, wide } = invocation.globals
  const [select, sort] = [textOption(invocation, 'select'), textOption(invocation, 'sort')]
  return {
    output,
    quiet,
    ...(csv && { csv }),
    ...(wide && { wide }),
    ...(invocation.several && { several: invocation.several }),
    columns,
    headers: invocation.option('headers') !== false,
    limit: limitOf(invocation),
    ...(invocation.answers && { answers: invocation.answers }),
    ...(select !== undefined && { select }),
    ...(sort !== undefined && { sort }),
  }
}

const screenful = 100

/** By default a terminal gets a screenful, and a script everything. */
function limitOf({ globals, option }: Invocation): Limit {
  const provided = option('limit')
  const implied =
    provided === undefined && !option('all') && globals.output === 'table' && !globals.csv && !globals.quiet && isTty()
  const max =
    typeof provided === 'string' ? countOption('limit', provided) : implied ? screenful : Number.POSITIVE_INFINITY
  return { max, read: option('sort') === undefined ? max : Number.POSITIVE_INFINITY, implied }
}

function columnCalled(shape: readonly Column[], name: string): Column {
  const column = columnIn(shape, name)
  if (column) return column
  const names = shape.map(({ field }) => field)
  const all = names.length <= maxListed ? `columns: ${names.join(', ')}` : '--help lists the columns'
  throw usage(`there is no column ${name}`, didYouMean(name, names) ?? all)
}

function checkSort(shape: readonly Column[], order: string | undefined): void {
  if (order !== undefined) columnCalled(shape, order.replace(/^-/, ''))
}
