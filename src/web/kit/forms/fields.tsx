import { CopyButton } from '../components/button.tsx'
import { Code, codeInputProps } from '../components/code.tsx'
import { count, limitMegabytes } from '../format/format.ts'
import { t } from '../i18n/i18n.ts'
import { labelOf } from '../i18n/label.ts'
import {
  type Boxes,
  type Control,
  type FormField,
  type Option,
  packageLimits,
  type SecretControl,
  type TextControl,
} from './field.ts'

export const idOf = (form: string, name: string): string => `${form}-${name.replaceAll('.', '-')}`

/** An input's attributes, including those for screen readers. */
interface NamedField {
  readonly id: string
  readonly name: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
  readonly 'aria-required'?: 'true' | undefined
  readonly 'aria-label'?: string
}

const describedBy = ({ help, error }: FormField, id: string): string | undefined =>
  [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ') || undefined

function namedBy(field: FormField, form: string): NamedField {
  const id = idOf(form, field.name)
  const invalid = field.error ? 'true' : undefined
  return { id, name: field.name, 'aria-describedby': describedBy(field, id), 'aria-invalid': invalid }
}

/** Label, input, help and error. */
export const FieldBox = ({ field, form, marks = false }: { field: FormField; form: string; marks?: boolean }) => {
  if (field.control.kind === 'hidden') return <input type="hidden" name={field.name} value={field.control.value} />
  const named = namedBy(field, form)
  const Box = isGroup(field.control) ? Group : Single
  return <Box field={field} named={named} marks={marks} />
}

const isGroup = (control: Control): boolean =>
  control.kind === 'checks' ||
  control.kind === 'rows' ||
  (control.kind === 'area' && control.boxes !== undefined) ||
  (control.kind === 'choice' && control.as === 'radios')

interface CheckboxProps {
  readonly field: FormField
  readonly named: NamedField
  /** Whether to mark optional fields. */
  readonly marks?: boolean
}

const Single = ({ field, named, marks }: CheckboxProps) => (
  <div class={`field ${field.control.kind}`}>
    <Was field={field} />
    {field.control.kind === 'check' ? <Input field={field} named={named} /> : null}
    <label for={named.id}>
      {t(field.label)}
      {marks ? <Optional field={field} /> : null}
    </label>
    {field.control.kind === 'check' ? null : <Input field={field} named={named} />}
    <Notes field={field} id={named.id} />
  </div>
)

const Group = ({ field, named }: CheckboxProps) => (
  <fieldset
    class={`field ${field.control.kind === 'area' ? 'checks' : field.control.kind}`}
    id={named.id}
    aria-describedby={named['aria-describedby']}
  >
    <legend>{t(field.label)}</legend>
    <Was field={field} />
    <Input field={field} named={named} />
    <Notes field={field} id={named.id} />
  </fieldset>
)

const Was = ({ field }: { field: FormField }) =>
  field.was === undefined ? null : <input type="hidden" name={`was.${field.name}`} value={field.was} />

const Optional = ({ field: { required, control } }: { field: FormField }) =>
  required || control.kind === 'check' ? null : <small> {t('optional')}</small>

const Notes = ({ field: { help, error, control }, id }: { field: FormField; id: string }) => (
  <>
    {help ? (
      <p class="help" id={`${id}-help`}>
        {t(help)}
        {control.kind === 'area' && control.listed && !control.boxes
          ? `${t(help).endsWith('.') ? '' : '.'} ${t('One per line.')}`
          : null}
        {control.kind === 'area' && control.examples?.length ? <Examples of={control.examples} /> : null}
      </p>
    ) : null}
    {error ? (
      <p class="error" id={`${id}-error`}>
        {error}
      </p>
    ) : null}
  </>
)

const Examples = ({ of }: { of: readonly string[] }) => (
  <>
    {` ${t('For example:')} `}
    {of.map((line, place) => (
      <>
        {place > 0 ? ', ' : ''}
        <Code text={line} />
      </>
    ))}
  </>
)

const Input = ({ field: { control, required }, named }: CheckboxProps) => {
  const requested: NamedField = { ...named, 'aria-required': required && 'true' }
  if (control.kind === 'text') return <Text control={control} named={requested} />
  if (control.kind === 'area' && control.boxes)
    return <BoxesAndArea control={control} of={control.boxes} named={named} />
  if (control.kind === 'area') return <Area control={control} named={requested} />
  if (control.kind === 'secret') return <Secret control={control} named={requested} />
  if (control.kind === 'check') return <Check checked={control.checked} named={named} />
  if (control.kind === 'choice') return <Choice control={control} named={named} />
  if (control.kind === 'checks') return <Checks control={control} named={named} />
  if (control.kind === 'rows') return <Rows control={control} named={named} />
  return null
}

const Text = ({ control, named }: { control: TextControl; named: NamedField }) => {
  const { value, type, machine, inputmode, min, max, minlength, maxlength, autocomplete, offers } = control
  const list = offers ? `${named.id}-list` : undefined
  return (
    <span class="control">
      <input
        {...named}
        {...(machine ? codeInputProps : {})}
        inputmode={inputmode}
        min={min}
        max={max}
        minlength={minlength}
        maxlength={maxlength}
        list={list}
        autocomplete={autocomplete ?? 'off'}
        class={machine ? 'm' : ''}
        type={type}
        value={value}
      />
      {control.unit ? <span class="unit">{t(control.unit)}</span> : null}
      {control.none ? <None control={control.none} named={named} /> : null}
      {list ? <Offers id={list} offers={offers ?? []} /> : null}
    </span>
  )
}

const None = ({ control, named }: { control: NonNullable<TextControl['none']>; named: NamedField }) => (
  <label class="none">
    <input type="checkbox" name={`none.${named.name}`} value="true" checked={control.on} /> {t(control.label)}
  </label>
)

const Offers = ({ id, offers }: { id: string; offers: readonly Option[] }) => (
  <datalist id={id}>
    {offers.map(({ value, label }) => (
      <option value={value}>{label}</option>
    ))}
  </datalist>
)

type AreaControl = Extract<Control, { kind: 'area' }>

/** HTML drops a leading newline in a text area, so one is prepended. */
const Area = ({ control, named }: { control: AreaControl; named: NamedField }) => (
  <textarea
    {...named}
    {...(control.machine ? codeInputProps : {})}
    maxlength={control.maxlength}
    class={control.machine ? 'm' : ''}
    rows={control.rows}
  >
    {`\n${control.value}`}
  </textarea>
)

const BoxesAndArea = ({ control, of, named }: { control: AreaControl; of: Boxes; named: NamedField }) => {
  const id = `${named.id}-others`
  return (
    <>
      <Ticks name={named.name} options={of.options} values={of.ticked} />
      <label class="soft" for={id}>
        {t(of.others)}
      </label>
      <Area control={control} named={{ ...named, id }} />
      {of.catalog ? <a href={of.catalog.href}>{t(of.catalog.text)}</a> : null}
    </>
  )
}

const Secret = ({ control, named }: { control: SecretControl; named: NamedField }) => (
  <span class={control.generate ? 'control wraps' : 'control'}>
    {control.lines ? (
      <textarea {...named} {...codeInputProps} class="m" rows={8} autocomplete="off" data-secret="" />
    ) : (
      <input {...named} maxlength={control.maxlength} type="password" autocomplete={control.autocomplete} />
    )}
    {control.lines ? null : (
      <button type="button" data-show={named.id} data-other={t('Hide')} hidden>
        {t('Show')}
      </button>
    )}
    {control.generate ? (
      <>
        <button type="button" data-generate={named.id} hidden>
          {t('Generate')}
        </button>
        <CopyButton from={named.id} />
      </>
    ) : null}
  </span>
)

const Check = ({ checked, named }: { checked: boolean; named: NamedField }) => (
  <>
    <input type="hidden" name={named.name} value="false" />
    <input {...named} type="checkbox" value="true" checked={checked} />
  </>
)

/** Names and verbatim values have no language. */
const isOwn = ({ value, label, named }: Option): boolean => named === true || label === value
const wordOf = (option: Option): string => (isOwn(option) ? option.label : t(option.label))
const ownWord = (option: Option) => (isOwn(option) ? 'no' : undefined)

const limitsOf = (limits: NonNullable<Option['limits']>): string =>
  packageLimits
    .map((name) => {
      const limit = limits[name]
      const text = limit === undefined ? t('unlimited') : name.endsWith('_mb') ? limitMegabytes(limit) : count(limit)
      return `${t(labelOf(name, true))}: ${text}`
    })
    .join(', ')

const Choice = ({ control, named }: { control: Extract<Control, { kind: 'choice' }>; named: NamedField }) =>
  control.as === 'select' ? (
    <select {...named}>
      {control.options.map((option) => (
        <option value={option.value} selected={option.value === control.value} translate={ownWord(option)}>
          {wordOf(option)}
          {option.limits ? ` (${limitsOf(option.limits)})` : ''}
        </option>
      ))}
    </select>
  ) : (
    <>
      {control.options.map((option) => (
        <label translate={ownWord(option)}>
          <input type="radio" name={named.name} value={option.value} checked={option.value === control.value} />{' '}
          {wordOf(option)}
        </label>
      ))}
    </>
  )

/** The hidden input says that there was a choice, even if nothing is ticked. */
const Checks = ({ control, named }: { control: Extract<Control, { kind: 'checks' }>; named: NamedField }) => (
  <>
    <input type="hidden" name={named.name} value="" />
    <Ticks name={named.name} options={control.options} values={control.values} />
  </>
)

interface TicksProps {
  readonly name: string
  readonly options: readonly Option[]
  readonly values: readonly string[]
}

const Ticks = ({ name, options, values }: TicksProps) => (
  <>
    {options.map((option, place) => (
      <>
        {option.group !== undefined && option.group !== options[place - 1]?.group ? (
          <b class="group">{t(option.group)}</b>
        ) : null}
        <label translate={ownWord(option)}>
          <input type="checkbox" name={name} value={option.value} checked={values.includes(option.value)} />{' '}
          {wordOf(option)}
        </label>
      </>
    ))}
  </>
)

const Rows = ({ control, named }: { control: Extract<Control, { kind: 'rows' }>; named: NamedField }) => (
  <div class="scroll">
    <table>
      <thead>
        <tr>
          {control.columns.map((column) => (
            <th scope="col">{t(column)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {control.rows.map((row) => (
          <tr>
            {row.map((field) => (
              <td>
                <Input field={field} named={{ ...namedBy(field, named.id), 'aria-label': t(field.label) }} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
