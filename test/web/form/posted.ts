import type { FormField } from '../../../src/web/kit/forms/field.ts'

/** What a browser submits of a form as rendered, without any typing. */
export function posted(fields: readonly FormField[], form = new URLSearchParams()): URLSearchParams {
  for (const field of fields) {
    if (field.was !== undefined) form.append(`was.${field.name}`, field.was)
    if (field.control.kind === 'rows') posted(field.control.rows.flat(), form)
    else for (const text of textsOf(field)) form.append(field.name, lineEnds(text))
    if (field.control.kind === 'text' && field.control.none?.on) form.append(`none.${field.name}`, 'true')
  }
  return form
}

function textsOf({ control }: FormField): readonly string[] {
  switch (control.kind) {
    case 'check':
      return control.checked ? ['false', 'true'] : ['false']
    case 'choice':
      return control.options.some(({ value }) => value === control.value) ? [control.value] : drawn(control)
    case 'checks':
      return ['', ...control.options.map(({ value }) => value).filter((value) => control.values.includes(value))]
    case 'text':
      return [control.value.replaceAll(/[\r\n]/g, '')]
    case 'area':
    case 'hidden':
      return [control.value]
    default:
      return ['']
  }
}

/** No radio is selected; of a select the first option is. */
const drawn = (control: Extract<FormField['control'], { kind: 'choice' }>): readonly string[] =>
  control.as === 'select' ? control.options.slice(0, 1).map(({ value }) => value) : []

/** Forms use CRLF line ends, like mail. */
const lineEnds = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n')
