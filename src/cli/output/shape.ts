import type { Column } from '../table.ts'

/** Whether a column can show this field: a field, a group of fields, or one inside an open object. */
export const isColumn = (shape: readonly Column[], name: string): boolean => columnIn(shape, name) !== undefined

/** The column for a field of the shape. */
export function columnIn(shape: readonly Column[], name: string): Column | undefined {
  const exact = shape.find(({ field }) => field === name)
  if (exact) return exact
  const group = shape.some(({ field }) => field.startsWith(`${name}.`))
  const open = shape.some(({ field, kind }) => kind === 'open' && name.startsWith(`${field}.`))
  return group || open ? { field: name } : undefined
}
