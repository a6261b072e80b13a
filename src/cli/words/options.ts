import { timeNote } from '../input/values.ts'
import type { Command, Field, Operation, OwnOption, Table } from '../table.ts'

/** One option as help, completion and the manual show it. */
export interface OptionSpec {
  readonly flags: string
  readonly description: string
  readonly group: string
  readonly choices?: readonly string[]
  readonly repeat?: true
  readonly hidden?: true
  /** Listed as part of another option: `--[no-]cgi`. */
  readonly folded?: true
  /** How it is listed, if not by its flags. */
  readonly displayFlags?: string
  /** The parser rejects values that are not among its choices. */
  readonly strict?: true
  /** What completion offers for its value. */
  readonly offers?: string
}

const spec = (group: string, flags: string, description: string, more: Partial<OptionSpec> = {}): OptionSpec => ({
  flags,
  description,
  group,
  ...more,
})

export const formats = ['table', 'wide', 'csv', 'json', 'jsonl', 'yaml', 'name'] as const

/** Options that work before and after every command. */
export const globalOptions: readonly OptionSpec[] = [
  spec('Global options:', '-o, --output <format>', 'How the answer is printed', { choices: formats, strict: true }),
  spec('Global options:', '-q, --quiet', 'Print ids only, and no progress'),
  spec('Global options:', '--context <name>', 'The saved server to use; separate several with commas', {
    offers: 'contexts',
  }),
  spec('Global options:', '--all-contexts', 'All saved servers, side by side; only for commands that read'),
  spec('Global options:', '--data-dir <directory>', 'Data directory of the local server'),
  spec('Global options:', '--no-color', 'No colours'),
  spec('Global options:', '--debug', 'Show each request on standard error'),
]

const printOptions = [
  spec('Output options:', '--columns <fields>', 'Columns of the table, separated by commas'),
  spec('Output options:', '--no-headers', 'Leave out the column headings'),
  spec('Output options:', '--select <expression>', 'Part of the answer, as a JMESPath expression'),
]
const listOptions = [
  spec('Output options:', '--sort <field>', 'Sort by this field; -field for descending'),
  spec('Output options:', '--limit <number>', 'Maximum number of items'),
  spec('Output options:', '--all', 'Every item, also on a terminal'),
  spec('Output options:', '--watch', 'Draw the table again every 2 seconds, until Ctrl-C'),
]
const jobOptions = [
  spec('Job options:', '--wait', 'Wait for the job, which is done anyway', { hidden: true }),
  spec('Job options:', '--no-wait', 'Do not wait for the job'),
  spec('Job options:', '--wait-timeout <duration>', 'Stop waiting after this long, such as 30s, 10m or 1h'),
]
const dataOption = spec('Request options:', '--data <json>', 'The body: JSON, @file, or - for standard input')
const dryRun = spec(
  'Request options:',
  '--dry-run',
  'Print what would be sent, as JSON unless it is a terminal; change nothing',
)
const keyOption = spec('Request options:', '--idempotency-key <key>', 'Send this key instead of a random one')
const openOption = spec('Request options:', '--open', 'Open the link in a browser instead, on a terminal')
const followOption = spec('Options:', '-f, --follow', 'Print what comes, until Ctrl-C')
const yes = spec('Request options:', '-y, --yes', 'Do not ask')
const confirm = spec('Request options:', '--confirm <name>', 'Confirm with the name instead of being asked')

const keepOption = spec('Request options:', '--confirm', 'Keep the change if the server answers on a new connection')

function valueName(field: Field): string {
  if (field.ref) return '<name>'
  if (field.pairs) return '<NAME=value>'
  if (field.pem) return '<file>'
  if (field.array) return '<list>'
  const names = {
    integer: '<number>',
    number: '<number>',
    time: '<time>',
    duration: '<duration>',
    json: '<json>',
  } as Record<string, string>
  return names[field.type] ?? `<${field.option.split('-').at(-1)}>`
}

/** Longer lists are left to completion. */
const maxChoices = 15

function describe(field: Field): string {
  const { choices = [], description } = field
  const isUnexplained =
    choices.length <= maxChoices && !choices.every((choice) => description.includes(`\`${choice}\``))
  const notes = [
    ...(field.nullable || field.emptied ? [field.limit ? '`unlimited` for no limit' : '`none` to clear'] : []),
    ...(field.type === 'time' ? [timeNote] : []),
    ...(field.type === 'duration' ? ['such as 30s, 10m or 1d'] : []),
    ...(isUnexplained ? [`one of ${choices.join(', ')}`] : []),
  ]
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description
}

function offersOf(field: Field): Partial<OptionSpec> {
  const list = field.ref ?? field.offers
  if (list) return { offers: list }
  if (field.option === 'events' || (field.option === 'type' && field.place === 'query')) return { offers: 'events' }
  return {}
}

/** Whether it is the account in the path. */
const isOwner = ({ place, ref }: Field): boolean => place === 'path' && ref === '/accounts'

/** Whether a field itself is called `--account`. */
const isAccount = ({ option, ref }: Field): boolean => option === 'account' && ref === '/accounts'

function secretSpecs(field: Pick<Field, 'option' | 'description' | 'fileOption'>): OptionSpec[] {
  const name = field.option
  return [
    spec('Options:', `--${name} [never]`, `Ask for it. ${field.description}`),
    spec('Options:', `--${name}-stdin`, 'Read it from standard input'),
    spec('Options:', `--${name}-file <file>`, 'Read it from a file'),
    ...(field.fileOption ? [spec('Options:', `--${field.fileOption} <file>`, `The same as --${name}-file`)] : []),
  ]
}

/** The options of one field. */
export function fieldSpecs(field: Field): OptionSpec[] {
  if (field.internal) return []
  if (field.secret) return secretSpecs(field)
  if (field.type === 'boolean')
    return [
      spec('Options:', `--${field.option}`, describe(field), { displayFlags: `--[no-]${field.option}` }),
      spec('Options:', `--no-${field.option}`, `Not: ${field.description}`, { folded: true }),
    ]
  const more = {
    ...offersOf(field),
    ...(field.choices && { choices: field.choices }),
    ...(field.array && { repeat: true as const }),
  }
  const short = isOwner(field) || isAccount(field) ? '-a, ' : ''
  const displayFlags = spec('Options:', `${short}--${field.option} ${valueName(field)}`, describe(field), more)
  if (field.single)
    return [
      displayFlags,
      spec('Options:', `--${field.single} <path>`, 'One of them; its name may contain commas', more),
    ]
  if (!field.alias) return [displayFlags]
  return [displayFlags, spec('Options:', `--${field.alias} <id>`, field.description, { ...more, hidden: true })]
}

/** A command's operations, the plain one first. */
export const operationsOf = (command: Command, table: Table): Operation[] =>
  [command.operation, command.variant].flatMap((id) => (id ? [table.operations[id] as Operation] : []))

const presetSpecs = ({ preset }: Operation): OptionSpec[] =>
  preset
    ? [
        spec('Options:', `--${preset.option} <use>`, preset.description, {
          choices: Object.keys(preset.values),
          strict: true,
        }),
      ]
    : []

const everythingSpecs = ({ everything }: Operation): OptionSpec[] =>
  everything ? [spec('Options:', `--${everything.option}`, everything.description)] : []

const pemSpecs = ({ pem }: Operation): OptionSpec[] =>
  pem ? secretSpecs({ option: 'password', description: 'Password of the PKCS #12 file or of the key' }) : []

/** The options of an upload, which can be made on the fly. */
const uploadSpecs = ({ upload }: Operation): OptionSpec[] =>
  upload
    ? [
        spec('Options:', `--${upload.option} <file>`, 'Upload this file first, and use it'),
        ...(upload.directory
          ? [
              spec(
                'Options:',
                `--${upload.directory} <directory>`,
                'Pack this directory by its .gitignore, upload and use it',
              ),
            ]
          : []),
      ]
    : []

function operationSpecs(operation: Operation): OptionSpec[] {
  return [
    ...operation.fields.flatMap(fieldSpecs),
    ...pemSpecs(operation),
    ...uploadSpecs(operation),
    ...presetSpecs(operation),
    ...everythingSpecs(operation),
    ...(operation.hasBody ? [dataOption] : []),
    dryRun,
    ...(operation.keyed ? [keyOption] : []),
    ...(operation.link ? [openOption] : []),
    ...(operation.follow ? [followOption] : []),
    ...(operation.confirm ? [yes] : []),
    ...(operation.confirm === 'name' ? [confirm] : []),
    ...(operation.trial ? [keepOption] : []),
    ...(operation.job ? jobOptions : []),
    ...printOptions,
    ...(operation.list ? listOptions : []),
  ]
}

const ownSpec = ({ flags, description, ...more }: OwnOption): OptionSpec =>
  spec('Options:', flags, description, { ...more, ...(more.choices && { strict: true }) })

/** A command's options without the global ones, without duplicates. */
export function optionsOf(command: Command, table: Table): OptionSpec[] {
  const own = (command.ownOptions ?? []).map(ownSpec)
  const implied = Object.keys(command.sets ?? {}).map((name) => `--${name}`)
  const specs = operationsOf(command, table).flatMap(operationSpecs)
  const all = [...specs.filter((one) => !implied.includes(longName(one))), ...own]
  const distinct = new Map<string, OptionSpec>()
  for (const one of all) {
    const long = longName(one)
    const known = distinct.get(long)
    distinct.set(long, known ? merged(known, one) : one)
  }
  return [...distinct.values()].sort((first, second) => groups.indexOf(first.group) - groups.indexOf(second.group))
}

const groups = ['Options:', 'Request options:', 'Job options:', 'Output options:']

/** A variant may allow other choices: both are offered, and each operation checks its own. */
function merged(first: OptionSpec, second: OptionSpec): OptionSpec {
  if (!first.choices || !second.choices) return first
  return { ...first, choices: [...new Set([...first.choices, ...second.choices])] }
}

/** `-o, --output <format>` -> `--output`. */
export const longName = (option: OptionSpec): string => /--[\w-]+/.exec(option.flags)?.[0] ?? option.flags

/** `-o, --output <format>` -> `output`; `--no-wait` -> `wait`. */
export const keyOf = (option: OptionSpec): string => longName(option).replace(/^--(no-)?/, '')

/** `-o, --output <format>` -> `-o`. */
export const shortName = (option: OptionSpec): string | undefined => /^-\w\b/.exec(option.flags)?.[0]

/** Whether a value follows; `[never]` does not count. */
export const takesValue = (option: OptionSpec): boolean => option.flags.includes('<')

/** A positional argument, as help and completion show it. */
export interface ArgumentSpec {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** It may be repeated. */
  readonly many?: true
  readonly choices?: readonly string[]
  readonly offers?: string
}

/** The arguments of a command, in order. */
export function argumentsOf(command: Command, table: Table): ArgumentSpec[] {
  if (command.own) return (command.ownArguments ?? []).map((one) => ({ ...one, required: one.required ?? false }))
  const fields = operationsOf(command, table)[0]?.fields ?? []
  const isLast = (at: number): boolean => command.many === true && at === command.args.length - 1
  const places = command.args.flatMap((option, at): ArgumentSpec[] => {
    const field = fields.find((one) => one.option === option)
    if (!field) return []
    const { required = false, choices } = field
    const description = describe({ ...field, choices: [] })
    return [
      {
        name: option,
        description,
        required,
        ...(choices && { choices }),
        ...offersOf(field),
        ...(isLast(at) && { many: true as const }),
      },
    ]
  })
  return [...places, ...uploadArgument(command, table)]
}

/** The file to upload, where it may be an argument. */
function uploadArgument(command: Command, table: Table): ArgumentSpec[] {
  const { upload } = operationsOf(command, table)[0] ?? {}
  if (!upload?.isArgument) return []
  return [{ name: upload.option, description: `The same as --${upload.option}`, required: false }]
}

const placeOf = ({ name, required, many }: ArgumentSpec): string =>
  `${required ? `<${name}>` : `[${name}]`}${many ? '...' : ''}`

/** `panel accounts set-package <account> <package> [options]`. */
export function usageOf(command: Command, table: Table): string {
  const places = argumentsOf(command, table).map(placeOf)
  return ['panel', ...command.words, ...places, '[options]'].join(' ')
}

/** An option as help and the manual list it. */
export const displayedFlags = ({ flags, displayFlags }: OptionSpec): string =>
  displayFlags ?? flags.replace(' [never]', '')
