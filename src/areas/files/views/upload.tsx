import { invalid } from '../../../contract/problem.ts'
import { Submit } from '../../../web/kit/button.tsx'
import { Fold } from '../../../web/kit/fold.tsx'
import { Hidden, Trouble } from '../../../web/kit/form.tsx'
import { forMachines } from '../../../web/kit/machine.tsx'
import type { FormModel, Sends, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

type Visited = Readonly<Record<string, string>>

/** Uploads into the page's directory, under the typed name. */
export function uploaded(form: URLSearchParams, { path }: Visited): Omit<Sends, 'bytes'> {
  const name = form.get('name') ?? ''
  if (name === '' || name.includes('/')) throw invalid('name', 'must be a name without a slash, such as logo.png')
  return {
    query: { path: path === undefined ? name : `${path}/${name}` },
    headers: form.get('overwrite') === 'true' ? {} : { 'if-none-match': '*' },
  }
}

/** Creates an empty file. */
export const begun = (form: URLSearchParams, visited: Visited): Sends => ({
  ...uploaded(form, visited),
  bytes: new Uint8Array(),
})

/** A new file opens in the editor; an upload leads to its directory. */
export const next = (form: URLSearchParams): string | undefined => (form.has('_new') ? '/edit/{path...}' : undefined)

/** The ways to add a file to the page's directory. */
export function NewFiles({ visit, below }: { visit: Visit; below: string }) {
  const form = visit.form('writeFile', { only: [] })
  if (!form) return null
  const isNew = visit.typed?.has('_new') ?? false
  return (
    <>
      <Upload visit={visit} form={isNew ? { ...form, refusal: undefined } : form} below={below} />
      <NewFile visit={visit} form={isNew ? form : { ...form, refusal: undefined }} />
    </>
  )
}

interface Props {
  readonly visit: Visit
  readonly form: FormModel
}

/**
 * The name precedes the file, so that it is known when the bytes arrive. A script uploads any number of chosen files,
 * in parts, under their own names.
 */
const Upload = ({ visit, form, below }: Props & { below: string }) => (
  <Fold title="Upload a file" open={form.refusal !== undefined}>
    <form
      method="post"
      action={form.action}
      enctype="multipart/form-data"
      class="fields pad"
      {...scripted(visit, below)}
    >
      <Hidden of={form} />
      <Trouble of={form.refusal} />
      <div class="field text" data-typed="">
        <NameBox id="upload-name" visit={visit} form={form} />
      </div>
      <div class="field check">
        <input
          id="upload-over"
          name="overwrite"
          type="checkbox"
          value="true"
          checked={typedIn(form, visit, 'overwrite') === 'true'}
        />
        <label for="upload-over">{t('Replace a file that is there')}</label>
      </div>
      <div class="field text">
        <label for="upload-file">{t('File')}</label>
        <input id="upload-file" name="file" type="file" aria-describedby="upload-help" />
        <p class="help" id="upload-help">
          <span data-typed="">{t('Up to 64 MiB. Larger ones: panel files upload, or FTP.')}</span>
          <span data-typed="" hidden>
            {t('An interrupted upload resumes where it stopped: choose the same file again within a day.')}
          </span>
        </p>
      </div>
      <p class="buttons">
        <Submit label="Upload" look="main" />
      </p>
    </form>
  </Fold>
)

/** The script's data: where to send parts, whose directory it is, and its messages. */
const scripted = ({ account, path }: Visit, below: string) => ({
  'data-upload': account && `/api/v1/accounts/${account.id}/uploads`,
  'data-folder': below,
  'data-next': `${path}?done=writeFile`,
  'data-done': t('Uploaded.'),
  'data-lost': t('The connection was lost. Choose the file again.'),
})

const NewFile = ({ visit, form }: Props) => (
  <Fold title="New file" open={form.refusal !== undefined}>
    <form method="post" action={form.action} class="fields pad" data-once="">
      <Hidden of={form} />
      <input type="hidden" name="_new" value="1" />
      <Trouble of={form.refusal} />
      <div class="field text">
        <NameBox id="new-name" visit={visit} form={form} />
      </div>
      <p class="buttons">
        <Submit label="Make the file" look="main" />
      </p>
    </form>
  </Fold>
)

/** What was typed into this form rather than the other one. */
const typedIn = ({ refusal }: FormModel, { typed }: Visit, name: string): string => (refusal && typed?.get(name)) ?? ''

const NameBox = ({ id, visit, form }: Props & { id: string }) => {
  const fault = form.refusal?.fields['name']
  const wrong = fault === undefined ? {} : ({ 'aria-invalid': 'true', 'aria-describedby': `${id}-error` } as const)
  return (
    <>
      <label for={id}>{t('Name')}</label>
      <input
        id={id}
        name="name"
        class="m"
        value={typedIn(form, visit, 'name')}
        autocomplete="off"
        {...wrong}
        {...forMachines}
      />
      {fault === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          {fault}
        </p>
      )}
    </>
  )
}
