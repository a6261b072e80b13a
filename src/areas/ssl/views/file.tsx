import { Submit } from '../../../web/kit/components/button.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { FieldBox } from '../../../web/kit/forms/fields.tsx'
import { FieldErrors, Hidden } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'

const KEY = 'private_key'

/** Installs a certificate with its key from one file, as Windows and many authorities give it. */
export function filePage(view: ViewContext): PageView {
  const value = { domain_id: view.query.get('domain') ?? undefined }
  const form = view.form('installCertificate', { only: ['domain_id', KEY], value })
  return {
    title: t(view.screen.title),
    lead: t('A PFX or P12 file has the certificate, its chain and its key together, behind a password.'),
    body: form ? (
      <Card>
        <div class="pad">
          <CertificateFile of={form} />
        </div>
      </Card>
    ) : null,
  }
}

/** The key has a field for files that come in two, below the file without it. */
const Fields = ({ of, only }: { of: FormModel; only(name: string): boolean }) => (
  <>
    {of.fields
      .filter(({ name }) => only(name))
      .map((field) => (
        <FieldBox
          field={field.name === KEY ? { ...field, help: 'Only if it is not in the file.' } : field}
          form={of.op}
        />
      ))}
  </>
)

const CertificateFile = ({ of }: { of: FormModel }) => {
  const { file, password } = of.refusal?.fields ?? {}
  return (
    <form method="post" action={of.action} enctype="multipart/form-data" class="fields" novalidate data-once="">
      <Hidden of={of} />
      {of.refusal ? <FieldErrors of={of} refusal={of.refusal} /> : null}
      <Fields of={of} only={(name) => name !== KEY} />
      <div class="field text">
        <label for="certificate-file">{t('File')}</label>
        <input
          id="certificate-file"
          name="file"
          type="file"
          accept=".pfx,.p12,.pem,.crt,.cer"
          required
          aria-describedby="certificate-file-help"
          aria-invalid={file ? 'true' : undefined}
        />
        <p class="help" id="certificate-file-help">
          {t('PFX, P12, or PEM with the key in it; at most 64 KiB.')}
        </p>
        {file ? <p class="error">{file}</p> : null}
      </div>
      <div class="field secret">
        <label for="certificate-password">{t('Password of the file')}</label>
        <input
          id="certificate-password"
          name="password"
          type="password"
          autocomplete="off"
          aria-describedby="certificate-password-help"
          aria-invalid={password ? 'true' : undefined}
        />
        <p class="help" id="certificate-password-help">
          {t('The one that was set when the file was exported. Leave it empty if there is none.')}
        </p>
        {password ? <p class="error">{password}</p> : null}
      </div>
      <Fields of={of} only={(name) => name === KEY} />
      <p class="buttons">
        <Submit label={of.label} look="main" />
      </p>
    </form>
  )
}
