import type { Field } from './kit/field.ts'
import { FieldBox } from './kit/fields.tsx'
import { Hidden } from './kit/form.tsx'
import type { FormModel } from './kit/screen.ts'
import { t } from './kit/text.ts'

const passwordField = (error: string | undefined): Field => ({
  name: '_password',
  label: 'Your password',
  required: true,
  ...(error !== undefined && { error }),
  control: { kind: 'secret', autocomplete: 'current-password', generate: false, maxlength: 128 },
})

/** What is about to happen, as it was typed, and the password once more. Secrets are typed again: no page holds them. */
export const PasswordAgain = ({ of, confirmed }: { of: FormModel; confirmed: boolean }) => (
  <form method="post" action={of.action} class="fields card pad" novalidate data-once="">
    <Hidden of={of} />
    {confirmed ? <input type="hidden" name="_yes" value="1" /> : null}
    <p>
      {t('Type your password to go on:')} <b>{t(of.label)}</b>. {t('For 15 minutes you will not be asked again.')}
    </p>
    <p class="soft">{t('If you came here by a link and have no password, ask your provider to set one.')}</p>
    <FieldBox field={passwordField(of.refusal?.fields['password'] ?? of.refusal?.detail)} form={of.op} />
    {of.fields.map((field) => (
      <FieldBox field={field} form={of.op} />
    ))}
    <p class="buttons">
      <button type="submit" class="main">
        {t('Continue')}
      </button>
    </p>
  </form>
)
