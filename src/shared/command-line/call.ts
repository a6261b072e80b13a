import type { Command, Field, Operation, Table } from '../commands.ts'

/** An operation and its input, to be shown as a command. */
export interface CommandCall {
  readonly operation: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** Names of objects, by the field with their id. */
  readonly names?: Readonly<Record<string, string>>
  /** Further objects to repeat the command for. */
  readonly many?: readonly string[]
  /** In the user panel the account is implied. */
  readonly panel?: 'admin' | 'user'
  /** Follow the log. */
  readonly follow?: boolean
}

export interface CommandText {
  readonly line: string
  /** It has no invisible characters and does what it shows. */
  readonly copyable: boolean
  /** False if placeholders in capitals are left to fill in. */
  readonly complete: boolean
  /** The contents of `changes.json`. */
  readonly data?: string
  readonly note?: string
}

type Commands = ReadonlyMap<string, Command>
const known = new WeakMap<Table, Commands>()

/** If several commands run one operation, the first counts. */
const byOperation = ({ commands }: Table): Commands =>
  new Map(
    commands.toReversed().flatMap((command) => [command.operation, command.variant].map((id) => [id ?? '', command])),
  )

/** An operation's row and its command. */
export function rowOf(table: Table, id: string): { readonly row: Operation; readonly command: Command | undefined } {
  const row = table.operations[id]
  if (!row) throw new Error(`the command table has no operation ${id}`)
  const commands = known.get(table) ?? byOperation(table)
  known.set(table, commands)
  return { row, command: commands.get(id) }
}

/** The account in the path, if the command takes it as `--account`. */
export const ownerOf = ({ id, fields }: Operation, { variant }: Command): Field | undefined =>
  variant === id ? fields.find(({ place }) => place === 'path') : undefined
