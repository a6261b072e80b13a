import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Column, Field, Operation, Table } from '../shared/commands.ts'
import { packageRoot } from '../shared/package-root.ts'

const fileOf = (name: string): string => join(packageRoot(), 'dist/table', `${name}.json`)

const read = (name: string): unknown => JSON.parse(readFileSync(fileOf(name), 'utf8'))

/** Every command. */
const readAll = (): unknown => read('all')

/** The commands with this first word and what they need, if any. */
const readPart = (word: string): unknown =>
  /^[a-z-]+$/.test(word) && existsSync(fileOf(word)) ? read(word) : undefined

export type {
  CardGroup,
  Collection,
  Column,
  Command,
  Field,
  FieldPlace,
  FieldType,
  Operation,
  OwnArgument,
  OwnOption,
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

let fullTable: Table | undefined

function readFullTable(): Table {
  fullTable ??= readAll() as Table
  return fullTable
}

/** Reads the commands with this first word, and what they need. */
export function openTable(word: string): Table {
  part = (readPart(word) as Table | undefined) ?? readFullTable()
  return part
}

/** The command table made by the build; read on first access. */
export const table: Table = {
  get areas() {
    return readFullTable().areas
  },
  get commands() {
    return readFullTable().commands
  },
  get operations() {
    return readFullTable().operations
  },
  get shapes() {
    return readFullTable().shapes
  },
  get collections() {
    return (part ?? readFullTable()).collections
  },
  get exits() {
    return (part ?? readFullTable()).exits
  },
  get events() {
    return readFullTable().events
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
