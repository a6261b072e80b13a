import { usage } from './errors.ts'
import { type Client, createClient } from './request/client.ts'
import type { Command, Field, Operation, TypedField } from './table.ts'
import { operationOf } from './table.ts'
import { chooseTarget } from './target/choose.ts'
import type { ServerTarget } from './target/target.ts'
import { canAsk } from './terminal.ts'
import type { formats } from './words/options.ts'

/** `wide` is a table with all columns, `csv` one separated by commas. */
export type Format = Exclude<(typeof formats)[number], 'wide' | 'csv'>

/** Global options. */
export interface Globals {
  readonly output: Format
  readonly wide?: true
  readonly csv?: true
  readonly quiet: boolean
  readonly debug: boolean
  readonly context?: string
  readonly allContexts?: boolean
  readonly dataDir?: string
}

/** A command as it was typed. */
export interface Invocation {
  readonly command: Command
  readonly positionals: readonly string[]
  readonly globals: Globals
  /** An option's value, by its long name without dashes; `--no-x` makes `x` false. */
  option(name: string): unknown
  /** Collects responses that are printed as one document at the end. */
  readonly answers?: unknown[]
  /** It is one of several, which are printed as one table. */
  readonly several?: true
  /** The typed words, to show the command again. */
  readonly words: readonly string[]
}

/** A field as it was typed. The id of an upload that the command itself makes never is: a file was. */
export const typedField = (
  { command, positionals, option }: Pick<Invocation, 'command' | 'positionals' | 'option'>,
  field: Field,
): TypedField => ({
  ...field,
  called:
    field.name === 'upload_id' && option(field.option) === undefined
      ? 'file'
      : positionals[command.args.indexOf(field.option)] === undefined
        ? `--${field.fileOption ?? field.option}`
        : field.option,
})

/** A client for the chosen server. */
export const clientOf = ({ globals }: Invocation): Client =>
  createClient(chooseTarget(globals), {
    debug: globals.debug,
    showWaiting: Boolean(process.stderr.isTTY) && !globals.quiet && !globals.debug,
    ...(canAsk() && { confirmPassword: askPassword }),
  })

async function askPassword(client: Client): Promise<void> {
  const { confirmPassword } = await import('./input/confirm-password.ts')
  await confirmPassword(client)
}

export function textOption(invocation: Invocation, name: string): string | undefined {
  const value = invocation.option(name)
  return typeof value === 'string' ? value : undefined
}

/** The command's operation, or its variant with `--account` or in a customer's session. */
export function operationFor({ command, option }: Invocation, target?: ServerTarget): Operation {
  const { operation, variant } = command
  const isOfAccount = option('account') !== undefined || target?.session?.panel === 'user' || !operation
  if (variant && isOfAccount) return operationOf(variant)
  if (!operation) throw usage(`panel ${command.words.join(' ')} is not an API operation`)
  return operationOf(operation)
}

/** Whether it runs on several objects in sequence. */
export const namesSeveral = ({ command, positionals }: Invocation): boolean =>
  command.many === true && positionals.length > command.args.length

const plain = /^[\w@%+=:,./-]+$/

/** The same command line with further words, to copy and paste. */
export const again = ({ words }: Invocation, ...more: string[]): string => commandLine([...words, ...more])

/** Words quoted for a shell. */
export function commandLine(words: readonly string[]): string {
  const quoted = words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
  return ['panel', ...quoted].join(' ')
}
