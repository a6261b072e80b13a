import type { Field, FieldPlace, FieldType, Rule } from '../cli/table.ts'
import {
  alternatives,
  choicesOf,
  descriptionOf,
  isNullable,
  type Schema,
  schemaOf,
  variants,
} from '../contract/json-schema.ts'
import type { Declaration } from '../contract/operation.ts'
import { isSecretField } from '../contract/reach.ts'
import { collectionOf, kebab, memberOf, optionName } from './names.ts'

/** Whose id a field holds, where its name does not say so. */
const accountFields = new Set(['owner_id', 'actor_id', 'reseller_id'])
const others: Readonly<Record<string, string>> = {
  parent_id: 'domain',
  destination_id: 'backup-destination',
  ip6_id: 'ip',
}

const timeName = /(^|_)(at|since|until)$/

/** Paths of lists: of those whose members have names, and of all. */
export interface Lists {
  readonly named: ReadonlySet<string>
  readonly all: ReadonlySet<string>
}

/** Every input of an operation, in the order of path, query and body. */
export function fieldsOf(declaration: Declaration, lists: Lists): Field[] {
  return withDistinctOptions([
    ...pathFields(declaration, lists),
    ...objectFields(declaration, 'query', lists.named),
    ...objectFields(declaration, 'body', lists.named),
    ...fileFields(declaration),
  ])
}

const fileFields = ({ raw }: Declaration): Field[] =>
  raw ? [{ name: 'file', place: 'bytes', option: 'file', type: 'string', description: files[raw] }] : []

const files = {
  body: 'The file to send; standard input if left out, or -',
  answer: 'The file to save it in; standard output if left out, or -',
}

/** Where two fields would share an option, the plainest keeps it: a value, then a reference, then the path. */
function withDistinctOptions(fields: readonly Field[]): Field[] {
  const rank = ({ place, ref }: Field): number => (place === 'path' ? 2 : ref ? 1 : 0)
  const taken = new Map<string, Field>()
  for (const field of [...fields].sort((first, second) => rank(first) - rank(second))) {
    const option = taken.has(field.option) ? (field.alias ?? `${field.option}-id`) : field.option
    if (taken.has(option)) throw new Error(`two fields would be --${option}: ${field.name}`)
    const { alias, ...rest } = field
    taken.set(option, { ...rest, option, ...(alias && alias !== option && { alias }) })
  }
  const named = [...taken.values()]
  return fields.map(({ name, place }) => named.find((one) => one.name === name && one.place === place) as Field)
}

/** Names of the parameters in a path, in order. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')

function pathFields({ path, params }: Declaration, { named, all }: Lists): Field[] {
  const schema: Schema = params ? schemaOf(params, 'input') : {}
  return pathParameters(path).map((name): Field => {
    const collection = listOf(path, name, all)
    const choices = choicesOf(schema.properties?.[name] ?? {})
    return {
      name,
      place: 'path',
      option: choices ? kebab(name) : memberOf(collection),
      type: 'string',
      description: descriptionOf(schema.properties?.[name] ?? {}) || 'Which one',
      required: true,
      ...(choices && { choices }),
      ...(named.has(collection) ? { ref: collection } : all.has(collection) && { offers: collection }),
    }
  })
}

/** The list that a parameter names a member of; a user of a database is one of the account's users. */
function listOf(path: string, name: string, all: ReadonlySet<string>): string {
  const collection = collectionOf(path, name)
  const ofAccount = collection.replace(/\/[^/]+\/\{\w+\}(?=\/[^/]+$)/, '')
  return !all.has(collection) && all.has(ofAccount) ? ofAccount : collection
}

function objectFields(declaration: Declaration, place: 'query' | 'body', collections: ReadonlySet<string>): Field[] {
  const object = declaration[place]
  if (!object) return []
  const refTo = (name: string) => refOf(name, declaration, collections)
  return propertiesOf(schemaOf(object, 'input'), '', true).map(({ name, schema, required }) => ({
    ...withDefault(declaration, fieldOf(name, schema, required, place, refTo, isSecretField(declaration, name))),
    ...(isInternal(declaration, place, name) && { internal: true as const, option: kebab(name) }),
    ...(declaration.cli?.file === name && { file: true as const }),
    ...pemField(declaration, name),
    ...(declaration.cli?.pairs === name && { pairs: true as const }),
    ...(declaration.cli?.emptied?.includes(name) && { emptied: true as const }),
  }))
}

function pemField({ cli }: Declaration, name: string): Pick<Field, 'pem' | 'fileOption'> {
  const { certificate, chain, key } = cli?.pem ?? {}
  if (key?.field === name) return { pem: true, fileOption: key.option }
  return name === certificate || name === chain ? { pem: true } : {}
}

/** The command line's own default, where it is not the API's. */
const withDefault = ({ cli }: Declaration, field: Field): Field =>
  cli?.newest && field.name === 'order' ? { ...field, description: `${field.description} (default: desc)` } : field

/** The command line pages, confirms and limits by itself. */
function isInternal(declaration: Declaration, place: FieldPlace, name: string): boolean {
  if (place !== 'query') return false
  if (name === 'confirm') return declaration.cli?.confirm === 'name'
  const shape = declaration.query?.shape ?? {}
  if (name === 'q' && 'search' in shape) return true
  if (name === 'cursor' || declaration.cli?.follow) return name === 'cursor'
  return name === 'limit' && ('after' in shape || 'cursor' in shape)
}

interface Property {
  name: string
  schema: Schema
  required: boolean
}

function propertiesOf(schema: Schema, prefix: string, outerRequired: boolean): Property[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]): Property[] => {
    const required = outerRequired && (schema.required?.includes(key) ?? false)
    const { word, objects } = alternatives(property)
    const nested = objects.flatMap((one) => propertiesOf(one, `${prefix}${key}.`, required && !word))
    if (word) return [{ name: prefix + key, schema: word, required: false }, ...nested]
    return objects.length > 0 ? nested : [{ name: prefix + key, schema: property, required }]
  })
}

function fieldOf(
  name: string,
  schema: Schema,
  required: boolean,
  place: FieldPlace,
  refTo: (name: string) => string | undefined,
  isSecret: boolean,
): Field {
  const array = variants(schema).find((one) => one.type === 'array')
  const value = array?.items ?? schema
  const ref = refTo(name)
  const secret = isSecret && place === 'body'
  const choices = choicesOf(value)
  return {
    name,
    place,
    ...(ref ? { option: kebab(name.replace(/_id$/, '')), alias: kebab(name) } : { option: optionName(name) }),
    type: typeOf(name, value),
    description: descriptionOf(schema) || descriptionOf(value) || sentence(name),
    ...(array && { array: true as const }),
    ...(array && name === 'paths' && { single: 'path' }),
    ...(name === 'destinations' && { alias: 'to' }),
    ...(isNullable(schema) && { nullable: true as const }),
    ...(isNullable(schema) && isLimit(schema) && { limit: true as const }),
    ...(required && { required: true as const }),
    ...(secret && { secret: true as const }),
    ...(choices && { choices }),
    ...(ref && { ref }),
    ...(required || secret ? ruleOf(schema, array, ref) : {}),
  }
}

/** What a prompt can check by itself. Names of other objects are looked up instead. */
function ruleOf(schema: Schema, array: Schema | undefined, ref: string | undefined): Pick<Field, 'rule'> {
  if (ref) return {}
  const alone = array?.items && aloneIn(array.items)
  const rule = array ? { ...bounds(array.minItems, array.maxItems), ...(alone && { alone }) } : textRule(schema)
  return Object.keys(rule).length > 0 ? { rule } : {}
}

function textRule({ minLength, maxLength, pattern }: Schema): Rule {
  return { ...bounds(minLength, maxLength), ...(pattern !== undefined && { pattern }) }
}

const bounds = (min: number | undefined, max: number | undefined): Rule => ({
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
})

/** Of two sets of choices the first are words for the whole, as `full-access` beside areas. */
function aloneIn(items: Schema): readonly string[] | undefined {
  const sets = variants(items).filter((one) => one.enum)
  return sets.length > 1 ? (sets[0]?.enum as readonly string[]) : undefined
}

/** Of the account's lists where the path names one, or of the server's. */
function refOf(name: string, { path }: Declaration, collections: ReadonlySet<string>): string | undefined {
  if (name === 'escalate_to') return collections.has(path.split('/{cid}')[0]!) ? path.split('/{cid}')[0] : undefined
  if (!name.endsWith('_id')) return undefined
  if (accountFields.has(name)) return '/accounts'
  const list = `${kebab(others[name] ?? name.slice(0, -3))}s`
  const ofAccount = path.startsWith('/accounts/{id}/') ? [`/accounts/{id}/${list}`] : []
  const beside = path.lastIndexOf('}/') > 0 ? [`${path.slice(0, path.lastIndexOf('}/') + 1)}/${list}`] : []
  return [...ofAccount, `/${list}`, ...beside].find((collection) => collections.has(collection))
}

/** As the contract's `Count`. */
const isLimit = (schema: Schema): boolean =>
  variants(schema).some(({ type, maximum }) => type === 'integer' && maximum === 1_000_000_000)

function typeOf(name: string, schema: Schema): FieldType {
  const types = new Set(variants(schema).map((one) => one.type ?? 'string'))
  if (types.size !== 1) return types.has('object') || types.has('array') ? 'json' : 'string'
  const [type] = types
  if (type === 'integer' && name === 'for_s') return 'duration'
  if (type === 'integer') return timeName.test(name) ? 'time' : 'integer'
  if (type === 'boolean' || type === 'number') return type
  return type === 'object' || type === 'array' ? 'json' : 'string'
}

const sentence = (name: string): string => {
  const words = name.replace(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
