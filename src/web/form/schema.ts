import { operationList } from '../../contract/index.ts'
import { schemaOf } from '../../contract/json-schema.ts'
import type { Declaration } from '../../contract/operation.ts'
import type { Table } from '../../shared/commands.ts'
import { type Leaf, leavesOf } from './leaf.ts'

/** What a form of an operation can ask for. */
export interface FormSchema {
  readonly leaves: readonly Leaf[]
  /** Only what differs from what the page showed is sent. */
  readonly sendsChanges: boolean
}

const known = new Map<string, FormSchema>()

/** The form of an operation, by the contract and the command table. */
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

/** What can only be switched on is off where it is left out, unless the contract names another default. */
function offAtFirst(leaf: Leaf): Leaf {
  const { kind, name, required, standard, description } = leaf
  const isOpen = kind === 'flag' && !required && standard === undefined && !name.includes('.')
  return isOpen && !description.includes('default') ? { ...leaf, standard: false } : leaf
}

/** What a change is asked with beside its body, such as the name that confirms it, is typed in the same form. */
function leavesIn(declaration: Declaration, place: 'query' | 'body', table: Table): Leaf[] {
  const object = declaration[place]
  if (!object || (place === 'query' && declaration.method === 'get')) return []
  const rows = table.operations[declaration.id]!.fields.filter((field) => field.place === place)
  return leavesOf(schemaOf(object, 'input'), rows)
}

/** References in the body: what was typed is looked up there. */
export const refsOf = ({ leaves }: FormSchema): { readonly name: string; readonly collection: string }[] =>
  leaves.flatMap(({ name, collection }) => (collection === undefined ? [] : [{ name, collection }]))

/** Secrets, and lists in which some are. */
export const secretsOf = ({ leaves }: FormSchema): string[] =>
  leaves.filter(({ kind, columns }) => kind === 'secret' || columns?.some(isSecret)).map(({ name }) => name)

const isSecret = ({ kind, name }: Leaf): boolean => kind === 'secret' || name === 'secret'
