import { Card } from '../../../web/kit/components/page.tsx'
import type { FormField } from '../../../web/kit/forms/field.ts'
import { FieldBox } from '../../../web/kit/forms/fields.tsx'
import { FormFrame } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { worded } from '../../../web/kit/i18n/label.ts'
import { lookupOwn } from '../../../web/kit/lookup.ts'
import type { FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'

const areaNames: Readonly<Record<string, string>> = {
  account: 'The account itself',
  cron: 'Cron jobs',
  email: 'Mail',
  events: 'Activity',
  logs: 'Logs and usage',
  mysql: 'Databases',
  ssh: 'FTP and SSH',
  ssl: 'Certificates',
}

const levels = [
  ['full-access', 'Full access', 'All that you may do.'],
  ['read-only', 'Read only', 'Sees everything, changes nothing.'],
  ['', 'Only chosen areas', 'What you choose below.'],
] as const

/** Creates a token: what it is for, what it may do, from where, and for how long. */
export function newTokenPage(view: ViewContext): PageView {
  const form = view.form(view.screen.shows)
  return { title: t(view.screen.title), body: form ? <NewToken of={form} cancel={view.href('/tokens')} /> : null }
}

const NewToken = ({ of, cancel }: { of: FormModel; cancel: string }) => {
  const field = (name: string) => {
    const found = of.fields.find((one) => one.name === name)
    return found ? <FieldBox field={found} form={of.op} /> : null
  }
  const scopes = of.fields.find(({ name }) => name === 'scopes')
  return (
    <Card>
      <div class="pad">
        <FormFrame of={of} cancel={cancel}>
          {field('name')}
          {scopes ? <Scopes of={scopes} form={of.op} /> : null}
          {field('allowed_ips')}
          {field('expires_in')}
          <details class="more">
            <summary>{t('More options')}</summary>
            <div class="fields">{field('expires_at')}</div>
          </details>
        </FormFrame>
      </div>
    </Card>
  )
}

/** Everything, everything to read, or areas one by one: each control sends one scope, or none. */
const Scopes = ({ of: { name, control, error }, form }: { of: FormField; form: string }) => {
  const { options, values } = control.kind === 'checks' ? control : { options: [], values: [] as string[] }
  const areas = [...new Set(options.flatMap(({ value }) => (value.includes(':') ? [value.split(':')[0]!] : [])))]
  const level = levels.find(([value]) => values.includes(value))?.[0] ?? ''
  return (
    <fieldset class="field scopes" id={`${form}-${name}`}>
      <legend>{t('What it may do')}</legend>
      {levels.map(([value, label, help]) => (
        <label>
          <input type="radio" name={name} value={value} checked={value === level} />
          <span>
            {t(label)} <small>{t(help)}</small>
          </span>
        </label>
      ))}
      {error ? <p class="error">{error}</p> : null}
      <table class="areas">
        <thead>
          <tr>
            <th scope="col">{t('Area')}</th>
            <th scope="col">{t('Access')}</th>
          </tr>
        </thead>
        <tbody>
          {areas.map((area) => (
            <Area name={name} area={area} id={`${form}-${name}-${area}`} values={values} />
          ))}
        </tbody>
      </table>
    </fieldset>
  )
}

interface AreaProps {
  readonly name: string
  readonly area: string
  readonly id: string
  readonly values: readonly string[]
}

const Area = ({ name, area, id, values }: AreaProps) => {
  const now = [`${area}:write`, `${area}:read`].find((one) => values.includes(one)) ?? ''
  const choices = [
    ['', 'None'],
    [`${area}:read`, 'Read'],
    [`${area}:write`, 'Read and write'],
  ] as const
  return (
    <tr>
      <th scope="row">
        <label for={id}>{t(lookupOwn(areaNames, area) ?? worded(area))}</label>
      </th>
      <td>
        <select id={id} name={name}>
          {choices.map(([value, label]) => (
            <option value={value} selected={value === now}>
              {t(label)}
            </option>
          ))}
        </select>
      </td>
    </tr>
  )
}
