import { Hidden, Trouble } from '../../../web/kit/form.tsx'
import { queryOf } from '../../../web/kit/href.ts'
import { Machine } from '../../../web/kit/machine.tsx'
import type { Content, FormModel, Sends, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { bytesOf, type Text, textIn } from './text.ts'

/** What the editor's form writes: over the version that it showed, and no other. */
export function written(form: URLSearchParams, { path }: Readonly<Record<string, string>>): Sends {
  const bytes = bytesOf(form.get('text') ?? '', form.get('newline'))
  return {
    query: { path: path ?? '' },
    headers: { 'if-match': form.get('etag') || '""' },
    bytes,
  }
}

const oddName = 'Its name is not plain text: rename it to edit it.'

/** A text file in a field; of any other, why it cannot be one. */
export function editor(visit: Visit): Shown {
  const { names, query } = visit
  const path = names['path'] ?? ''
  const { bytes, etag }: Content = visit.data
  const text = query.has('path_bytes') ? oddName : bytes ? textIn(bytes) : 'It is larger than 1 MiB.'
  const shown = typeof text === 'string' ? undefined : text
  const form = shown || visit.typed ? visit.form('writeFile', { only: [] }) : undefined
  return {
    title: path.slice(path.lastIndexOf('/') + 1) || t('Edit'),
    ...(path !== '' && { machine: true as const }),
    lead: <Machine text={`/${path}`} />,
    actions: <Saved visit={visit} />,
    body: (
      <>
        {typeof text === 'string' ? <p class="card pad">{t('{why} It can be downloaded.', { why: t(text) })}</p> : null}
        {form ? <Editor form={form} now={shown} etag={etag} typed={visit.typed} /> : null}
        {!form && shown ? <Reading text={shown.text} label={t('Content')} /> : null}
      </>
    ),
  }
}

/** The file as it is, for the disk of whoever looks at it. */
const Saved = ({ visit }: { visit: Visit }) => {
  const path_bytes = visit.query.get('path_bytes') ?? undefined
  return (
    <a class="button" href={visit.path + queryOf({ path_bytes, format: 'file' })}>
      {t('Download')}
    </a>
  )
}

interface Props {
  readonly form: FormModel
  /** What is in the file; nothing where that is no text by now. */
  readonly now: Text | undefined
  readonly etag: string
  /** What was refused. */
  readonly typed: URLSearchParams | undefined
}

/** Where the file was changed in between, both are shown, and saving again is for the new version. */
const Editor = ({ form, now, etag, typed }: Props) => {
  const changed = form.refusal?.code === 'changed'
  const text = typed?.get('text')?.replace(/\r\n?/g, '\n') ?? now?.text ?? ''
  const version = changed ? etag : (typed?.get('etag') ?? etag)
  return (
    <>
      <form method="post" action={form.action} id={`form-${form.op}`} class="stack" data-once="" data-draft={etag}>
        <Hidden of={form} />
        <input type="hidden" name="etag" value={version} />
        <input type="hidden" name="newline" value={typed?.get('newline') ?? now?.newline ?? 'lf'} />
        {form.refusal ? <Trouble refusal={form.refusal} /> : null}
        <label for="text">{changed ? t('What you typed') : t('Content')}</label>
        <textarea id="text" name="text" class="m code" rows={24} wrap="off" {...machine}>
          {`\n${text}`}
        </textarea>
        <p class="buttons">
          <button type="submit" class="main">
            {changed ? t('Save over what is there now') : t('Save')}
          </button>
        </p>
      </form>
      {changed && now ? <Reading text={now.text} label={t('What is in the file now')} /> : null}
    </>
  )
}

const machine = { spellcheck: false, autocapitalize: 'none', autocomplete: 'off', dir: 'ltr' } as const

const Reading = ({ text, label }: { text: string; label: string }) => (
  <div class="stack">
    <label for="now">{label}</label>
    <textarea id="now" class="m code" rows={24} wrap="off" readonly {...machine}>
      {`\n${text}`}
    </textarea>
  </div>
)
