import { Asking } from '../kit/forms/confirm.tsx'
import type { FormField } from '../kit/forms/field.ts'
import { FieldBox } from '../kit/forms/fields.tsx'
import { t } from '../kit/i18n/i18n.ts'
import type { FormModel } from '../kit/screen.ts'

const passwordField = (error: string | undefined): FormField => ({
  name: '_password',
  label: 'Your password',
  required: true,
  ...(error !== undefined && { error }),
  control: { kind: 'secret', autocomplete: 'current-password', generate: false, maxlength: 128 },
})

/** What is about to happen, with a field to confirm the password. Secrets must be retyped: no page holds them. */
export const PasswordAgain = ({ of, confirmed }: { of: FormModel; confirmed: boolean }) => (
  <Asking of={of} label="Continue" yes={confirmed} trouble={false}>
    <p>
      {t('Type your password to continue:')} <b>{t(of.label)}</b>. {t('For 15 minutes you will not be asked again.')}
    </p>
    <p class="soft">{t('If you came here by a link and have no password, ask your provider to set one.')}</p>
    <FieldBox field={passwordField(of.refusal?.fields['password'] ?? of.refusal?.detail)} form={of.op} />
  </Asking>
)
