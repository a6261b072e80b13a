import type { Column, Field, Operation, Table } from '../shared/commands.ts'
import { readPart, readWhole } from './table-data.ts'

export type {
  Collection,
  Column,
  Command,
  Field,
  FieldType,
  Operation,
  OwnArgument,
  OwnOption,
  Place,
  Preset,
  Reread,
  Rule,
  Table,
} from '../shared/commands.ts'

/** A field as the typed words name it: by its option, or as an argument. */
export interface TypedField extends Field {
  readonly called: string
}

/** The part read for the typed command. */
let part: Table | undefined

let whole: Table | undefined

function wholeTable(): Table {
  whole ??= readWhole() as Table
  return whole
}

/** Reads the commands with this first word, and what they need. */
export function openTable(word: string): Table {
  part = (readPart(word) as Table | undefined) ?? wholeTable()
  return part
}

/** The command table made by the build; read on first access. */
export const table: Table = {
  get areas() {
    return wholeTable().areas
  },
  get commands() {
    return wholeTable().commands
  },
  get operations() {
    return wholeTable().operations
  },
  get shapes() {
    return wholeTable().shapes
  },
  get collections() {
    return (part ?? wholeTable()).collections
  },
  get exits() {
    return (part ?? wholeTable()).exits
  },
  get events() {
    return wholeTable().events
  },
}

export function operationOf(id: string): Operation {
  const operation = part?.operations[id] ?? table.operations[id]
  if (!operation) throw new Error(`the command table has no operation ${id}`)
  return operation
}

/** The fields that a column of an operation can show. */
export const columnsOf = ({ shape = '' }: Operation): readonly Column[] =>
  part?.shapes[shape] ?? table.shapes[shape] ?? []
