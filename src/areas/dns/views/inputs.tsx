import { Submit } from '../../../web/kit/components/button.tsx'
import { codeInputProps } from '../../../web/kit/components/code.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { sentence } from '../../../web/kit/i18n/label.ts'
import { lookupOwn } from '../../../web/kit/lookup.ts'
import { fieldNamesOf, type RecordFields, types } from './record-fields.ts'
import { isComplete } from './staged-edits.ts'

const labels: Readonly<Record<string, string>> = {
  A: 'Address',
  AAAA: 'Address',
  CNAME: 'Host',
  DNAME: 'Host',
  MX: 'Mail server',
  NS: 'Name server',
  PTR: 'Host',
  SRV: 'Host',
  TXT: 'Text',
}

const words: Readonly<Record<string, string>> = { ttl: 'TTL' }

export const labelIn = (name: string, type: string): string =>
  name === 'value' ? (lookupOwn(labels, type) ?? 'Value') : (words[name] ?? sentence(name))

interface InputProps {
  readonly row: string
  readonly name: string
  readonly fields: RecordFields
}

const Input = ({ row, name, fields }: InputProps) => (
  <label class="field">
    {t(labelIn(name, fields['type'] ?? ''))}
    <input class="m" name={`${row}.${name}`} value={fields[name] ?? ''} autocomplete="off" {...codeInputProps} />
  </label>
)

/** The inputs for a record's type. */
export const Inputs = ({ row, fields }: { row: string; fields: RecordFields }) => (
  <>
    {fieldNamesOf({ type: fields['type'] ?? '' }).map((name) => (
      <Input row={row} name={name} fields={fields} />
    ))}
  </>
)

const Types = ({ chosen }: { chosen: string }) => (
  <label class="field">
    {t('Type')}
    <select name="_add.type">
      {types.map((type) => (
        <option value={type} selected={type === chosen}>
          {type}
        </option>
      ))}
    </select>
  </label>
)

/** A record to add. Its type determines the inputs: those still missing are requested on submit. */
export const AddRow = ({ fields, tried }: { fields: RecordFields; tried: boolean }) => {
  const type = fields['type'] ?? 'A'
  const begun = (fields['name'] ?? '') !== '' || (fields['value'] ?? '') !== ''
  return (
    <fieldset class="line pad">
      <legend class="visually-hidden">{t('A new record')}</legend>
      <Types chosen={type} />
      <Inputs row="_add" fields={{ ...fields, type }} />
      <Submit label="Add to changes" name="_stage" value="add" />
      {tried && begun && !isComplete(fields) ? (
        <p class="error">{t('Fill in what a record of this type needs.')}</p>
      ) : null}
    </fieldset>
  )
}
