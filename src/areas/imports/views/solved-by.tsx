import { Code } from '../../../web/kit/components/code.tsx'
import type { FormField } from '../../../web/kit/forms/field.ts'
import { idOf } from '../../../web/kit/forms/fields.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Column } from '../../../web/kit/lists/table.tsx'
import type { Answered, FormModel, ViewContext } from '../../../web/kit/screen.ts'

/** What solves a line of the report: a field of the options on the same page, or a command. */
export function solvedBy(view: ViewContext): Column<Answered> {
  const options = view.screen.acts?.updateImport?.when?.(view) ? view.form('updateImport') : undefined
  return { field: 'fix', label: 'Solved by', cell: ({ fix }) => <Fix of={fix} options={options} /> }
}

/** The contract names the option as the command line does. */
const Fix = ({ of = '', options }: { of: string | undefined; options: FormModel | undefined }) => {
  const option = /^--([a-z-]+)(?: (.*))?$/s.exec(of)
  if (!option) return of === '' ? <>–</> : <Code text={of} />
  const { name, value } = fieldIn(option[1]!, option[2] ?? '')
  const field = options?.fields.find((one) => one.name === name)
  return field && options ? <ToField op={options.op} field={field} value={value} /> : <>–</>
}

/** `--map domains:OLD=NEW` is the line `OLD=NEW` of the field Domains; `OLD=` leaves one out. */
function fieldIn(option: string, value: string): { readonly name: string; readonly value: string } {
  const [, map, line = ''] = option === 'map' ? (/^([a-z_]+):(.*)$/s.exec(value) ?? []) : []
  if (map !== undefined) return { name: `map.${map}`, value: line.replace(/=null$/, '=') }
  const name = option.replaceAll('-', '_')
  return { name: name === 'package' ? 'package_id' : name, value: value === 'NAME' ? '' : value }
}

const ToField = ({ op, field, value }: { op: string; field: FormField; value: string }) => (
  <>
    <a href={`#${idOf(op, field.name)}`}>{t('{field} below', { field: t(field.label) })}</a>
    {value === '' ? null : <Value of={value} field={field} />}
  </>
)

const Value = ({ of, field: { control } }: { of: string; field: FormField }) => {
  const option = control.kind === 'choice' ? control.options.find(({ value }) => value === of) : undefined
  return (
    <>
      {': '}
      {option ? t(option.label) : <Code text={of} />}
    </>
  )
}
