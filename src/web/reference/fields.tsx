import { type Description, nameIn, type Schema } from './document.ts'
import { Prose } from './prose.tsx'
import { Type } from './type.tsx'

interface FieldRow {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly where?: string
  readonly description?: string | undefined
}

/** Fields or parameters, one per row. */
export const Rows = ({ rows }: { rows: readonly FieldRow[] }) => (
  <table>
    <tbody>
      {rows.map(({ name, schema, required, where, description }) => (
        <tr>
          <th scope="row">
            <code>{name}</code>
            {required ? <small> required</small> : null}
          </th>
          <td>
            {where ? <small>{where}, </small> : null}
            <Type schema={schema} />
            {schema.default === undefined ? null : <small>, default {JSON.stringify(schema.default)}</small>}
          </td>
          <td>
            <Prose text={description ?? schema.description ?? ''} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** The fields of an object; nested fields by path. */
function rowsOf(schema: Schema, prefix = ''): FieldRow[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const inner =
      field.type === 'array'
        ? { schema: field.items ?? {}, prefix: `${path}[].` }
        : { schema: field, prefix: `${path}.` }
    return [{ name: path, schema: field, required: required.has(name) }, ...rowsOf(inner.schema, inner.prefix)]
  })
}

/** A body or an answer: its name, and its fields unless they are described elsewhere on the page. */
export const Shape = ({ schema, inFull, from }: { schema: Schema; inFull: boolean; from: Description }) => {
  const visible = inFull && schema.$ref ? (from.components.schemas[nameIn(schema.$ref)] ?? schema) : schema
  const rows = rowsOf(visible)
  return rows.length > 0 ? (
    <Rows rows={rows} />
  ) : (
    <p>
      <Type schema={schema} />
    </p>
  )
}
