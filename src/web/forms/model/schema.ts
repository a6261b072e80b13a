import { operationList } from '../../../contract/index.ts'
import { schemaOf } from '../../../contract/json-schema.ts'
import type { Declaration } from '../../../contract/operation.ts'
import type { Table } from '../../../shared/commands.ts'
import { type Leaf, leavesOf } from './leaf.ts'

/** The inputs of an operation's form. */
export interface FormSchema {
  readonly leaves: readonly Leaf[]
  /** Whether to send only what differs from what the page showed. */
  readonly sendsChanges: boolean
}

const known = new Map<string, FormSchema>()

/** An operation's form, from the contract and the command table. */
export function formSchema(id: string, table: Table): FormSchema {
  const schema = known.get(id) ?? schemaFor(operationList.find((one) => one.id === id)!, table)
  known.set(id, schema)
  return schema
}

function schemaFor(declaration: Declaration, table: Table): FormSchema {
  const leaves = [...leavesIn(declaration, 'query', table), ...leavesIn(declaration, 'body', table)]
  const sendsChanges = declaration.method === 'patch'
  return { leaves: sendsChanges ? leaves : leaves.map(offAtFirst), sendsChanges }
}

/** An omitted option that can only be switched on counts as off, unless the contract names another default. */
function offAtFirst(leaf: Leaf): Leaf {
  const { kind, name, required, standard, description } = leaf
  const isOpen = kind === 'flag' && !required && standard === undefined && !name.includes('.')
  return isOpen && !description.includes('default') ? { ...leaf, standard: false } : leaf
}

/** A change's query parameters, such as the confirming name, are fields of the same form. */
function leavesIn(declaration: Declaration, part: 'query' | 'body', table: Table): Leaf[] {
  const object = declaration[part]
  if (!object || (part === 'query' && declaration.method === 'get')) return []
  const rows = table.operations[declaration.id]!.fields.filter((field) => field.place === part)
  return leavesOf(schemaOf(object, 'input'), rows)
}

/** The references in the body: typed names are resolved there. */
export const refsOf = ({ leaves }: FormSchema): { readonly name: string; readonly collection: string }[] =>
  leaves.flatMap(({ name, collection }) => (collection === undefined ? [] : [{ name, collection }]))

/** Secrets, and lists that contain some. */
export const secretsOf = ({ leaves }: FormSchema): string[] =>
  leaves.filter(({ kind, columns }) => kind === 'secret' || columns?.some(isSecret)).map(({ name }) => name)

const isSecret = ({ kind, name }: Leaf): boolean => kind === 'secret' || name === 'secret'
