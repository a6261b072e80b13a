import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operationList } from '../../../src/contract/index.ts'
import { isNullable, type Schema, schemaOf, variants } from '../../../src/contract/json-schema.ts'
import type { Declaration } from '../../../src/contract/operation.ts'
import { commandTable } from '../../../src/generate/table.ts'
import { at, put } from '../../../src/shared/dotted-keys.ts'
import { fieldsOf } from '../../../src/web/forms/model/fields.ts'
import { hasListsInRows } from '../../../src/web/forms/model/leaf.ts'
import { bodyOf } from '../../../src/web/forms/model/read.ts'
import { type FormSchema, formSchema } from '../../../src/web/forms/model/schema.ts'
import { posted } from './posted.ts'
import { objectsOf } from './values.ts'

const table = commandTable()
const withBody = (operationList as readonly Declaration[]).filter(({ body }) => body)
const named = (methods: readonly string[]) =>
  withBody.filter(({ method }) => methods.includes(method)).map((one) => [one.id, one] as const)

/** A form omits what an object lacks, null, or the contract's own default. */
function output(value: unknown, { leaves }: FormSchema): unknown {
  const body = (meant(value) ?? {}) as Record<string, unknown>
  for (const { name, standard, required } of leaves)
    if (standard !== undefined && !required && at(body, name) === standard) put(body, name, undefined)
  return meant(body) ?? {}
}

function meant(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map(meant) : undefined
  if (typeof value !== 'object' || value === null) return value ?? undefined
  const entries = Object.entries(value).map(([name, one]) => [name, meant(one)] as const)
  const left = entries.filter(([, one]) => one !== undefined)
  return left.length > 0 ? Object.fromEntries(left) : undefined
}

/** Secrets are typed: a form never shows them. */
function typeSecrets({ leaves }: FormSchema, form: URLSearchParams, value: object): void {
  for (const { name, kind } of leaves) {
    if (kind === 'secret' && typeof at(value, name) === 'string') form.set(name, at(value, name) as string)
  }
}

/** Without lists within the rows of a list, which no form has. */
function carried(json: Schema): Schema {
  const properties = Object.fromEntries(Object.entries(json.properties ?? {}).filter(([, one]) => !hasListsInRows(one)))
  return { ...json, properties, required: json.required?.filter((name) => name in properties) ?? [] }
}

describe('form that creates or sets', () => {
  test.each(named(['post', 'put']))('sends what was typed: %s', (id, { body }) => {
    const schema = formSchema(id, table)
    const json = carried(schemaOf(body!, 'input'))
    fc.assert(
      fc.property(objectsOf(json, json.required), (value) => {
        const form = posted(fieldsOf(schema, { value }))
        typeSecrets(schema, form, value)
        expect(output(bodyOf(schema, form), schema)).toEqual(output(value, schema))
      }),
      { numRuns: 30 },
    )
  })
})

/** An object that can be changed: every non-nullable field is set. */
const visibleKeys = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties).flatMap(([name, one]) =>
    isNullable(one) || variants(one).some(({ properties }) => properties) || one.type === 'null' ? [] : [name],
  )

describe('form of a change', () => {
  test.each(named(['patch']))('sends what differs: %s', (id, { body }) => {
    const schema = formSchema(id, table)
    const json = carried(schemaOf(body!, 'input'))
    const objects = objectsOf(json, visibleKeys(json))
    fc.assert(
      fc.property(objects, objects, (before, after) => {
        const form = posted(fieldsOf(schema, { value: before }))
        expect(bodyOf(schema, form)).toEqual({})
        const changes = bodyOf(schema, retyped(form, posted(fieldsOf(schema, { value: after }))))
        const changed = { ...before, ...changes }
        for (const { name, kind } of schema.leaves) if (kind === 'secret') put(changed, name, at(after, name))
        expect(meant(changed)).toEqual(meant(after))
        for (const [name, value] of Object.entries(changes)) expect(meant(value)).not.toEqual(meant(before[name]))
      }),
      { numRuns: 30 },
    )
  })
})

/** The form of one object with the values of another typed into it. */
function retyped(form: URLSearchParams, other: URLSearchParams): URLSearchParams {
  const typed = new URLSearchParams([...other].filter(([name]) => !name.startsWith('was.')))
  for (const [name, text] of form) if (name.startsWith('was.')) typed.append(name, text)
  return typed
}

test.each(withBody.map(({ id }) => id))('shows the same in a form of %s filled with what was typed', (id) => {
  const schema = formSchema(id, table)
  const json = schemaOf(withBody.find((one) => one.id === id)!.body!, 'input')
  fc.assert(
    fc.property(objectsOf(json, json.required), (value) => {
      const form = posted(fieldsOf(schema, { value }))
      expect(bodyOf(schema, posted(fieldsOf(schema, { form })))).toEqual(bodyOf(schema, form))
    }),
    { numRuns: 10 },
  )
})

test('reads lines such as old=new, without a right side as null, and a name alone as typed', () => {
  const schema = formSchema('updateImport', table)
  const form = new URLSearchParams({ 'map.domains': 'a.example=b.example\r\n\r\nc.example=\nd.example' })
  expect(bodyOf(schema, form)).toEqual({
    map: { domains: { 'a.example': 'b.example', 'c.example': null, 'd.example': '' } },
  })
})
