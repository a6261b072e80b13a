import { Submit } from '../../../web/kit/button.tsx'
import { sentence } from '../../../web/kit/label.ts'
import { forMachines } from '../../../web/kit/machine.tsx'
import { own } from '../../../web/kit/own.ts'
import { t } from '../../../web/kit/text.ts'
import { askedOf, type Said, types } from './said.ts'
import { isWhole } from './stages.ts'

const labels: Readonly<Record<string, string>> = {
  A: 'Address',
  AAAA: 'Address',
  CNAME: 'Host',
  MX: 'Mail server',
  NS: 'Name server',
  PTR: 'Host',
  SRV: 'Host',
  TXT: 'Text',
}

const words: Readonly<Record<string, string>> = { ttl: 'TTL' }

export const labelIn = (name: string, type: string): string =>
  name === 'value' ? (own(labels, type) ?? 'Value') : (words[name] ?? sentence(name))

interface InputProps {
  readonly row: string
  readonly name: string
  readonly said: Said
}

const Input = ({ row, name, said }: InputProps) => (
  <label class="field">
    {t(labelIn(name, said['type'] ?? ''))}
    <input class="m" name={`${row}.${name}`} value={said[name] ?? ''} autocomplete="off" {...forMachines} />
  </label>
)

/** The inputs for a record's type. */
export const Inputs = ({ row, said }: { row: string; said: Said }) => (
  <>
    {askedOf({ type: said['type'] ?? '' }).map((name) => (
      <Input row={row} name={name} said={said} />
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
export const AddRow = ({ said, tried }: { said: Said; tried: boolean }) => {
  const type = said['type'] ?? 'A'
  const begun = (said['name'] ?? '') !== '' || (said['value'] ?? '') !== ''
  return (
    <fieldset class="line pad">
      <legend class="visually-hidden">{t('A new record')}</legend>
      <Types chosen={type} />
      <Inputs row="_add" said={{ ...said, type }} />
      <Submit label="Add to changes" name="_stage" value="add" />
      {tried && begun && !isWhole(said) ? <p class="error">{t('Fill in what a record of this type needs.')}</p> : null}
    </fieldset>
  )
}
