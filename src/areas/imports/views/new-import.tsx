import { Card } from '../../../web/kit/components/page.tsx'
import { FileField } from '../../../web/kit/forms/file-form.tsx'
import { Fields, FormFrame } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** Takes an archive from the computer of the browser, or from the server. */
export function newImportPage(view: ViewContext): PageView {
  const form = view.form('createImport')
  return {
    title: t(view.screen.title),
    lead: t(view.screen.lead ?? ''),
    body: form ? (
      <Archive
        of={withArchiveError(form)}
        cancel={view.href('/imports')}
        uploaded={form.refusal?.fields['upload_id'] ? '' : (view.typed?.get('upload_id') ?? '')}
      />
    ) : null,
  }
}

/** Whether it was missing or could not be read: the page calls it an archive. */
function withArchiveError(form: FormModel): FormModel {
  if (!form.refusal) return form
  const { file, upload_id = file, ...others } = form.refusal.fields
  const fields = upload_id === undefined ? others : { archive: upload_id, ...others }
  return { ...form, refusal: { ...form.refusal, fields } }
}

interface Props {
  readonly of: FormModel
  readonly cancel: string
  /** An archive that was sent before. */
  readonly uploaded: string
}

const Archive = ({ of, cancel, uploaded }: Props) => (
  <Card>
    <div class="pad">
      <FormFrame
        of={of}
        cancel={cancel}
        attributes={{
          enctype: 'multipart/form-data',
          'data-upload': '/api/v1/imports/uploads',
          'data-folder': '',
          'data-done': t('Uploaded.'),
          'data-lost': t('The connection was lost. Choose the file again.'),
        }}
      >
        <input type="hidden" name="upload_id" value={uploaded} />
        {uploaded === '' ? null : <p class="notice">{t('The archive has been sent: it need not be chosen again.')}</p>}
        <FileField
          name="file"
          label="Archive"
          accept=".gz,.tgz,.tar,.zst,.bz2,.xz"
          help="A backup of one account from cPanel, DirectAdmin or HestiaCP. Without JavaScript up to 64 MiB."
          error={of.refusal?.fields['archive']}
        />
        <Fields of={of} />
      </FormFrame>
    </div>
  </Card>
)
