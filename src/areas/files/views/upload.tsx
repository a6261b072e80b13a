import type { Child } from 'hono/jsx'
import { invalid } from '../../../contract/problem.ts'
import { Submit } from '../../../web/kit/components/button.tsx'
import { codeInputProps } from '../../../web/kit/components/code.tsx'
import { Fold } from '../../../web/kit/components/fold.tsx'
import { Icon } from '../../../web/kit/components/icon.tsx'
import { FormError, Hidden } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { BytesRequest, FormModel, ViewContext } from '../../../web/kit/screen.ts'

type Visited = Readonly<Record<string, string>>

/** Uploads into the page's directory, under the typed name. */
export function uploaded(form: URLSearchParams, { path }: Visited): Omit<BytesRequest, 'bytes'> {
  const name = form.get('name') ?? ''
  if (name === '' || name.includes('/')) throw invalid('name', 'must be a name without a slash, such as logo.png')
  return {
    query: { path: path === undefined ? name : `${path}/${name}` },
    headers: { 'if-none-match': '*' },
  }
}

/** Creates an empty file. */
export const begun = (form: URLSearchParams, visited: Visited): BytesRequest => ({
  ...uploaded(form, visited),
  bytes: new Uint8Array(),
})

/** A new file opens in the editor; an upload leads to its directory. */
export const next = (form: URLSearchParams): string | undefined => (form.has('_new') ? '/edit/{path...}' : undefined)

/** The ways to add a file to the page's directory. */
export function NewFiles({ view, below, folder }: { view: ViewContext; below: string; folder: Child }) {
  const form = view.form('writeFile', { only: [] })
  if (!form) return <>{folder}</>
  const isNew = view.typed?.has('_new') ?? false
  return (
    <>
      <Upload view={view} form={isNew ? { ...form, refusal: undefined } : form} below={below} />
      <div class="stack">
        <NewFile view={view} form={isNew ? form : { ...form, refusal: undefined }} />
        {folder}
      </div>
    </>
  )
}

interface Props {
  readonly view: ViewContext
  readonly form: FormModel
}

/**
 * The name precedes the file, so that it is known when the bytes arrive. A script uploads any number of chosen files,
 * in parts, under their own names.
 */
const Upload = ({ view, form, below }: Props & { below: string }) => (
  <form
    method="post"
    action={form.action}
    enctype="multipart/form-data"
    class="card pad fields drop"
    {...scripted(view, below)}
  >
    <Hidden of={form} />
    <FormError of={form.refusal} />
    <div class="field text">
      <label for="upload-file">
        <Icon name="upload" /> <span data-typed="">{t('Upload a file')}</span>
        <span data-typed="" hidden>
          {t('Drop files here, or choose them')}
        </span>
      </label>
      <span data-typed="" class="field text">
        <NameBox id="upload-name" view={view} form={form} />
      </span>
      <input id="upload-file" name="file" type="file" aria-describedby="upload-help" />
      <p class="help" id="upload-help">
        <span data-typed="">{t('Up to 64 MiB. Larger ones: panel files upload, or FTP.')}</span>
        <span data-typed="" hidden>
          {t('An interrupted upload resumes where it stopped: choose the same file again within a day.')}
        </span>
      </p>
    </div>
    <p class="buttons" data-typed="">
      <Submit label="Upload" look="main" />
    </p>
  </form>
)

/** The script's data: where to send parts, whose directory it is, and its messages. */
const scripted = ({ account, path }: ViewContext, below: string) => ({
  'data-upload': account && `/api/v1/accounts/${account.id}/uploads`,
  'data-folder': below,
  'data-next': `${path}?done=writeFile`,
  'data-done': t('Uploaded.'),
  'data-lost': t('The connection was lost. Choose the file again.'),
  'data-question': t('There is already a file with this name.'),
  'data-replace': t('Replace'),
  'data-skip': t('Keep the old one'),
})

const NewFile = ({ view, form }: Props) => (
  <Fold title="New file" open={form.refusal !== undefined}>
    <form method="post" action={form.action} class="fields pad" data-once="">
      <Hidden of={form} />
      <input type="hidden" name="_new" value="1" />
      <FormError of={form.refusal} />
      <div class="field text">
        <NameBox id="new-name" view={view} form={form} />
      </div>
      <p class="buttons">
        <Submit label="Make the file" look="main" />
      </p>
    </form>
  </Fold>
)

/** What was typed into this form rather than the other one. */
const typedIn = ({ refusal }: FormModel, { typed }: ViewContext, name: string): string =>
  (refusal && typed?.get(name)) ?? ''

const NameBox = ({ id, view, form }: Props & { id: string }) => {
  const problem = form.refusal?.fields['name']
  const wrong = problem === undefined ? {} : ({ 'aria-invalid': 'true', 'aria-describedby': `${id}-error` } as const)
  return (
    <>
      <label for={id}>{t('Name')}</label>
      <input
        id={id}
        name="name"
        class="m"
        value={typedIn(form, view, 'name')}
        autocomplete="off"
        {...wrong}
        {...codeInputProps}
      />
      {problem === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          {problem}
        </p>
      )}
    </>
  )
}
