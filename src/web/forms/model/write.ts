import { at } from '../../../shared/dotted-keys.ts'
import type { Leaf } from './leaf.ts'
import { nullText } from './leaf.ts'
import { isLimit, noneName, wasName } from './names.ts'
import type { FormSchema } from './schema.ts'
import { momentText } from './time.ts'

/** What an untouched form that shows a value sends, including that value, so that changes can be detected. */
export function formOf({ leaves }: FormSchema, value: object | undefined): URLSearchParams {
  const form = new URLSearchParams()
  for (const leaf of leaves) {
    const visible = viewOf(leaf, value)
    if (value && leaf.kind !== 'secret')
      form.append(wasName(leaf.name), visible === undefined ? '' : JSON.stringify(visible))
    write(form, leaf, visible, leaf.name)
  }
  return form
}

/** An absent limit means none. */
function viewOf(leaf: Leaf, value: object | undefined): unknown {
  const visible = at(value, leaf.name)
  if (visible !== undefined) return leaf.kind === 'choice' && isObject(visible) ? undefined : visible
  return value === undefined || !leaf.nullable || leaf.kind === 'secret' ? undefined : null
}

/** Of a choice between a word and an object. */
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

function write(form: URLSearchParams, leaf: Leaf, value: unknown, name: string): void {
  if (leaf.kind === 'rows') return writeRows(form, leaf, (value ?? []) as readonly object[], name)
  if (leaf.kind === 'checks') form.append(name, '')
  for (const text of textsOf(leaf, value)) form.append(name, text)
  if (value === null && isLimit(leaf)) form.append(noneName(name), 'true')
}

function writeRows(form: URLSearchParams, { columns = [] }: Leaf, items: readonly object[], name: string): void {
  for (const [index, item] of items.entries())
    for (const column of columns) write(form, column, at(item, column.name), `${name}.${index}.${column.name}`)
}

function textsOf(leaf: Leaf, value: unknown): string[] {
  if (leaf.kind === 'flag') return [String(value ?? leaf.standard ?? '')]
  if (leaf.kind === 'checks') return ((value ?? []) as unknown[]).map(String)
  if (leaf.kind === 'lines') return [typeof value === 'string' ? value : ((value ?? []) as string[]).join('\n')]
  if (leaf.kind === 'pairs')
    return [
      Object.entries(value ?? {})
        .map(pairText)
        .join('\n'),
    ]
  if (leaf.kind === 'secret') return ['']
  return [textOf(leaf, value)]
}

/** An entry of a record as a line: `old=new`, and `old=` for null. */
export const pairText = ([name, value]: [string, unknown]): string => `${name}=${value ?? ''}`

function textOf({ kind, schema }: Leaf, value: unknown): string {
  if (value === null) return kind === 'choice' ? nullText : ''
  if (value === undefined) return schema.default === undefined ? '' : String(schema.default)
  return kind === 'time' ? momentText(value as number) : String(value)
}
