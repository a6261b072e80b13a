import { Card } from '../../../web/kit/components/page.tsx'
import { FieldBox } from '../../../web/kit/forms/fields.tsx'
import { FileField } from '../../../web/kit/forms/file-form.tsx'
import { FormFrame } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { FormModel } from '../../../web/kit/screen.ts'

const pasted: readonly string[] = ['certificate', 'private_key', 'ca_bundle']

interface Props {
  readonly of: FormModel
  readonly cancel: string
}

/** Installs a certificate from files, as authorities and Windows give it; or from pasted text. */
export const CertificateForm = ({ of, cancel }: Props) => {
  const texts = of.fields.filter(({ name }) => pasted.includes(name))
  const others = of.fields.filter(({ name }) => !pasted.includes(name))
  const isPasted = texts.some(({ control }) => control.kind === 'area' && control.value !== '')
  return (
    <Card>
      <div class="pad">
        <FormFrame
          of={of}
          cancel={cancel}
          linked={isPasted ? of.fields : others}
          attributes={{ enctype: 'multipart/form-data' }}
        >
          {others.map((field) => (
            <FieldBox field={field} form={of.op} />
          ))}
          <Files errors={isPasted ? {} : (of.refusal?.fields ?? {})} />
          <details class="more" open={isPasted}>
            <summary>{t('Paste instead')}</summary>
            <div class="fields">
              {texts.map((field) => (
                <FieldBox field={isPasted ? field : { ...field, error: '' }} form={of.op} />
              ))}
            </div>
          </details>
        </FormFrame>
      </div>
    </Card>
  )
}

const Files = ({ errors }: { errors: Readonly<Record<string, string>> }) => (
  <>
    <FileField
      name="file"
      label="Certificate file"
      accept=".pem,.crt,.cer,.der,.pfx,.p12,.p7b"
      help="PEM, CRT, DER, PFX or P12. A PFX or P12 file has the key and the chain in it."
      error={errors['file'] ?? errors['certificate']}
    />
    <FileField
      name="key_file"
      label="Key file"
      accept=".pem,.key,.der"
      help="If the key is in a file of its own. Not needed for a certificate that was made of a signing request here."
      error={errors['key_file'] ?? errors['private_key']}
    />
    <FileField
      name="chain_file"
      label="Chain file"
      accept=".pem,.crt,.cer,.der,.p7b"
      help="If the authority gave its own certificates in a file of their own: bundle or intermediate."
      error={errors['chain_file'] ?? errors['ca_bundle']}
    />
    <div class="field secret">
      <label for="certificate-password">{t('Password of the file')}</label>
      <input
        id="certificate-password"
        name="password"
        type="password"
        autocomplete="off"
        aria-describedby="certificate-password-help"
        aria-invalid={errors['password'] ? 'true' : undefined}
      />
      <p class="help" id="certificate-password-help">
        {t('Only for a PFX or P12 file: the one that was set when it was exported.')}
      </p>
      {errors['password'] ? <p class="error">{errors['password']}</p> : null}
    </div>
  </>
)
