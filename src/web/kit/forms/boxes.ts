import type { Boxes, FormField } from './field.ts'

/** Common values of a field that takes any, one per line. */
export type Suggestions = Omit<Boxes, 'ticked'>

/** The field with boxes for the common values; its lines are the other ones. */
export function withBoxes(field: FormField, suggestions: Suggestions | undefined): FormField {
  const { control } = field
  if (suggestions === undefined || control.kind !== 'area') return field
  const lines = control.value.split(/\r?\n/).filter((line) => line !== '')
  const isOffered = (line: string): boolean => suggestions.options.some(({ value }) => value === line)
  const boxes = { ...suggestions, ticked: lines.filter(isOffered) }
  const others = lines.filter((line) => !isOffered(line))
  return { ...field, control: { ...control, value: others.join('\n'), rows: Math.max(2, others.length + 1), boxes } }
}
