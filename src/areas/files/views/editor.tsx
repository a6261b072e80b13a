import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { CodeArea, typedText } from '../../../web/kit/components/code-area.tsx'
import { queryOf } from '../../../web/kit/format/href.ts'
import { accountOf, Drafted, FormError, Hidden } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { BytesRequest, FormModel, PageView, ScreenContent, ViewContext } from '../../../web/kit/screen.ts'
import { bytesOf, type Text, textIn } from './text.ts'

/** What the editor's form writes: only over the version that it showed. */
export function written(form: URLSearchParams, { path }: Readonly<Record<string, string>>): BytesRequest {
  const bytes = bytesOf(form.get('text') ?? '', form.get('_newline'))
  return {
    query: { path: path ?? '' },
    headers: { 'if-match': form.get('_etag') || '""' },
    bytes,
  }
}

const oddName = 'Its name is not plain text: rename it to edit it.'

/** A text file in an editor; for other files, why they cannot be edited. */
export function editor(view: ViewContext): PageView {
  const { names, query } = view
  const path = names['path'] ?? ''
  const { bytes, etag }: ScreenContent = view.data
  const text = query.has('path_bytes') ? oddName : bytes ? textIn(bytes) : 'It is larger than 1 MiB.'
  const content = typeof text === 'string' ? undefined : text
  const form = content || view.typed ? view.form('writeFile', { only: [] }) : undefined
  return {
    title: path.slice(path.lastIndexOf('/') + 1) || t('Edit'),
    ...(path !== '' && { machine: true as const }),
    lead: <Code text={`/${path}`} />,
    actions: <Saved view={view} />,
    body: (
      <>
        {typeof text === 'string' ? <p class="card pad">{t('{why} It can be downloaded.', { why: t(text) })}</p> : null}
        {form ? <Editor form={form} now={content} etag={etag} typed={view.typed} of={accountOf(view)} /> : null}
        {!form && content ? <CodeArea id="now" label={t('Content')} text={content.text} readonly /> : null}
      </>
    ),
  }
}

/** Downloads the original file. */
const Saved = ({ view }: { view: ViewContext }) => {
  const path_bytes = view.query.get('path_bytes') ?? undefined
  return <LinkButton href={view.path + queryOf({ path_bytes, format: 'file' })} label="Download" />
}

interface Props {
  readonly form: FormModel
  /** The file's current content; undefined if it is no longer text. */
  readonly now: Text | undefined
  readonly etag: string
  /** The text that was refused. */
  readonly typed: URLSearchParams | undefined
  readonly of: string | undefined
}

/** If the file has changed since, shows both versions; saving again overwrites the newer one. */
const Editor = ({ form, now, etag, typed, of }: Props) => {
  const changed = form.refusal?.code === 'changed'
  const text = typedText(typed, 'text') ?? now?.text ?? ''
  const version = changed ? etag : (typed?.get('_etag') ?? etag)
  return (
    <>
      <form
        method="post"
        action={form.action}
        id={`form-${form.op}`}
        class="stack"
        data-once=""
        data-draft={typed ? 'typed' : ''}
      >
        <Hidden of={form} />
        <input type="hidden" name="_etag" value={version} />
        <input type="hidden" name="_newline" value={typed?.get('_newline') ?? now?.newline ?? 'lf'} />
        <FormError of={form.refusal} />
        <Drafted of={of} />
        {(typed?.get('_newline') ?? now?.newline)?.startsWith('mixed-') ? (
          <p class="hint">
            {t('␍ and ␊ mark the lines that end otherwise than the others. They are saved as they were.')}
          </p>
        ) : null}
        <CodeArea id="text" label={changed ? t('What you typed') : t('Content')} text={text} />
        <p class="buttons">
          <button type="submit" class="main">
            {changed ? t('Save over what is there now') : t('Save')}
          </button>
          <label data-tabs="" hidden>
            <input type="checkbox" /> {t('Tab indents')}
          </label>
        </p>
      </form>
      {changed && now ? <CodeArea id="now" label={t('What is in the file now')} text={now.text} readonly /> : null}
    </>
  )
}
