import { FieldBox } from './fields.tsx'
import { Hidden, Trouble } from './form.tsx'
import type { FormModel } from './screen.ts'
import { t } from './text.ts'

interface Props {
  readonly of: FormModel
  readonly effects: readonly string[]
  /** The name that must be typed; one button where none is asked for. */
  readonly name?: string | undefined
  readonly cancel: string
}

/** What will happen, and the button that does it. */
export const Confirm = ({ of, effects, name, cancel }: Props) => (
  <form method="post" action={of.action} class="fields card pad" id={`form-${of.op}`} novalidate data-once="">
    <Hidden of={of} />
    <input type="hidden" name="_yes" value="1" />
    {of.refusal && of.refusal.fields['confirm'] === undefined ? <Trouble refusal={of.refusal} /> : null}
    {effects.length === 0 ? null : (
      <ul>
        {effects.map((effect) => (
          <li>{effect}</li>
        ))}
      </ul>
    )}
    {of.fields.map((field) => (
      <FieldBox field={field} form={of.op} />
    ))}
    {name === undefined ? null : <NameBox name={name} fault={of.refusal?.fields['confirm']} />}
    <p class="buttons">
      <button type="submit" class="danger" data-confirmed="">
        {t(of.label)}
      </button>
      <a class="button" href={cancel}>
        {t('Cancel')}
      </a>
    </p>
  </form>
)

const NameBox = ({ name, fault }: { name: string; fault: string | undefined }) => (
  <div class="field text">
    <label for="confirm">{t('Type {name} to confirm', { name })}</label>
    <input
      id="confirm"
      name="confirm"
      class="m"
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      dir="ltr"
      data-confirm={name}
      aria-required="true"
      {...(fault === undefined ? {} : { 'aria-invalid': 'true', 'aria-describedby': 'confirm-error' })}
    />
    {fault === undefined ? null : (
      <p class="error" id="confirm-error">
        {fault}
      </p>
    )}
  </div>
)
