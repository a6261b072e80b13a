import type { Child } from 'hono/jsx'
import { ulid } from '../../shared/patterns.ts'
import { nameIn, type Schema } from './document.ts'

const ULID_PATTERN = `^${ulid}$`
const formats: Readonly<Record<string, string>> = { email: 'email address', uri: 'URL' }

/** A field's type in a few words. */
export function Type({ schema }: { schema: Schema }): Child {
  if (schema.$ref) return <a href={`#${nameIn(schema.$ref)}`}>{nameIn(schema.$ref)}</a>
  if (schema.const !== undefined) return <code>{JSON.stringify(schema.const)}</code>
  if (schema.enum) return <Choices of={schema.enum.map((value) => <code>{String(value)}</code>)} />
  if (schema.anyOf) return <Choices of={schema.anyOf.map((one) => <Type schema={one} />)} />
  if (schema.type === 'array') return <ListType schema={schema} />
  if (schema.type === 'object') return 'object'
  return schema.type === 'string' ? textType(schema) : numberType(schema)
}

const Choices = ({ of: choices }: { of: readonly Child[] }) => (
  <>
    {choices.map((choice, place) => (
      <>
        {place > 0 ? ', ' : ''}
        {choice}
      </>
    ))}
  </>
)

const ListType = ({ schema: { items = {}, minItems, maxItems } }: { schema: Schema }) => (
  <>
    list of <Type schema={items} />
    {range(minItems, maxItems, ' items')}
  </>
)

function textType({ pattern, format, minLength, maxLength }: Schema): string {
  if (pattern === ULID_PATTERN) return 'id'
  return `${formats[format ?? ''] ?? 'string'}${range(minLength, maxLength, ' characters')}`
}

function numberType({ type = 'any', minimum, maximum }: Schema): string {
  const max = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  return type === 'integer' ? `integer${range(minimum, max)}` : String(type)
}

function range(least: number | undefined, max: number | undefined, unit = ''): string {
  if (max === undefined) return least ? `, at least ${least}${unit}` : ''
  return least === undefined ? `, at most ${max}${unit}` : `, ${least} to ${max}${unit}`
}
