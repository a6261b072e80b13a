import { invalid } from '../../../contract/problem.ts'
import { Hidden, Trouble } from '../../../web/kit/form.tsx'
import type { Sends, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** Into the directory of the page, by the name that was typed. */
export function uploaded(form: URLSearchParams, { path }: Readonly<Record<string, string>>): Omit<Sends, 'bytes'> {
  const name = form.get('name') ?? ''
  if (name === '' || name.includes('/')) throw invalid('name', 'must be a name without a slash, such as logo.png')
  return {
    query: { path: path === undefined ? name : `${path}/${name}` },
    headers: form.get('overwrite') === 'true' ? {} : { 'if-none-match': '*' },
  }
}

/** The name comes before the file, so that it is known when the bytes begin to come. */
export const Upload = ({ visit }: { visit: Visit }) => {
  const form = visit.form('writeFile', { only: [] })
  return form ? (
    <details class="card" open={form.refusal !== undefined}>
      <summary>{t('Upload a file')}</summary>
      <form method="post" action={form.action} enctype="multipart/form-data" class="fields pad" data-upload="">
        <Hidden of={form} />
        {form.refusal ? <Trouble refusal={form.refusal} /> : null}
        <div class="field text">
          <label for="upload-name">{t('Name')}</label>
          <input id="upload-name" name="name" class="m" value={visit.typed?.get('name') ?? ''} {...typed} />
        </div>
        <div class="field check">
          <input id="upload-over" name="overwrite" type="checkbox" value="true" />
          <label for="upload-over">{t('Replace a file that is there')}</label>
        </div>
        <div class="field text">
          <label for="upload-file">{t('File')}</label>
          <input id="upload-file" name="file" type="file" aria-describedby="upload-help" />
          <p class="help" id="upload-help">
            {t('Up to 64 MiB. Larger ones: panel files upload, or FTP.')}
          </p>
        </div>
        <p class="buttons">
          <button type="submit" class="main">
            {t('Upload')}
          </button>
        </p>
      </form>
    </details>
  ) : null
}

const typed = { spellcheck: false, autocapitalize: 'none', autocomplete: 'off', dir: 'ltr' } as const
