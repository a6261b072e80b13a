import type { PanelName } from '../../contract/sessions.ts'
import { Code } from '../kit/components/code.tsx'
import { Asking } from '../kit/forms/confirm.tsx'
import type { FormField } from '../kit/forms/field.ts'
import { FieldBox } from '../kit/forms/fields.tsx'
import { PasskeyButton } from '../kit/forms/passkey.tsx'
import { t } from '../kit/i18n/i18n.ts'
import type { FormModel } from '../kit/screen.ts'

const passwordField = (error: string | undefined): FormField => ({
  name: '_password',
  label: 'Your password',
  required: true,
  ...(error !== undefined && { error }),
  control: { kind: 'secret', autocomplete: 'current-password', generate: false, maxlength: 128 },
})

interface Props {
  readonly of: FormModel
  readonly confirmed: boolean
  /** The panel, if a passkey may be used instead. */
  readonly passkey?: PanelName | undefined
  /** Root has no provider to ask. */
  readonly isRoot: boolean
}

/** What is about to happen, with a field to confirm the password. Secrets must be retyped: no page holds them. */
export const PasswordAgain = ({ of, confirmed, passkey, isRoot }: Props) => (
  <Asking of={of} label="Continue" yes={confirmed} trouble={false}>
    <p>
      {t('Type your password to continue:')} <b>{t(of.label)}</b>. {t('For 15 minutes you will not be asked again.')}
    </p>
    <p class="soft">
      {isRoot ? (
        <>
          {t('If root has no password yet, set one on the server:')} <Code text="panel root set-password" />
        </>
      ) : (
        t('If you came here by a link and have no password, ask your provider to set one.')
      )}
    </p>
    <FieldBox field={passwordField(of.refusal?.fields['password'] ?? of.refusal?.detail)} form={of.op} />
    {passkey ? (
      <p>
        <PasskeyButton label="Use a passkey" field="_passkey" start={`/${passkey}/confirm/passkey/start`} />
      </p>
    ) : null}
  </Asking>
)
