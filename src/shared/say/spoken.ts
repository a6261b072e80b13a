import type { Command, Field, Operation, Table } from '../commands.ts'

/** What is to be said: an operation and its input. */
export interface Spoken {
  readonly operation: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** What objects are called, by the field that holds their id. */
  readonly names?: Readonly<Record<string, string>>
  /** Objects that the same is done to, one after the other. */
  readonly many?: readonly string[]
  /** Of an account's own panel: the account goes without saying. */
  readonly panel?: 'admin' | 'user'
  /** A log that goes on. */
  readonly follow?: boolean
}

export interface Said {
  readonly line: string
  /** Everything in it can be seen, and it does what it says. */
  readonly copyable: boolean
  /** What is still to be typed stands in capitals. */
  readonly whole: boolean
  /** The contents of `changes.json`. */
  readonly data?: string
  readonly note?: string
}

type Commands = ReadonlyMap<string, Command>
const known = new WeakMap<Table, Commands>()

/** Of several commands that reach one the first counts. */
const byOperation = ({ commands }: Table): Commands =>
  new Map(
    commands.toReversed().flatMap((command) => [command.operation, command.variant].map((id) => [id ?? '', command])),
  )

/** The row of an operation, and the command that it is reached by. */
export function rowOf(table: Table, id: string): { readonly row: Operation; readonly command: Command | undefined } {
  const row = table.operations[id]
  if (!row) throw new Error(`the command table has no operation ${id}`)
  const commands = known.get(table) ?? byOperation(table)
  known.set(table, commands)
  return { row, command: commands.get(id) }
}

/** The account that a path is below, where the command names it by `--account`. */
export const ownerOf = ({ id, fields }: Operation, { variant }: Command): Field | undefined =>
  variant === id ? fields.find(({ place }) => place === 'path') : undefined
