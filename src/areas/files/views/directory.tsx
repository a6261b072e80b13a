import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Cell } from '../../../web/kit/components/cell.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { FoldedForm } from '../../../web/kit/components/fold.tsx'
import { count } from '../../../web/kit/format/format.ts'
import { queryOf } from '../../../web/kit/format/href.ts'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Chosen, chooser } from '../../../web/kit/lists/bulk-select.tsx'
import { Table } from '../../../web/kit/lists/table.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { itemOf, whereOf } from './path.ts'
import { NewFiles } from './upload.tsx'

const fields = ['size', 'mode', 'modified_at'] as const

/** A directory's entries: directories link to their listing, everything else to a page of its own. */
export function directory(view: ViewContext): PageView {
  const { data, names, now } = view
  const path = names['path'] ?? ''
  const odd = view.query.has('path_bytes')
  const below = path === '' ? '' : `${path}/`
  const choose = chooser()
  const showsHidden = view.query.get('hidden') === 'true'
  const items = (data.items as readonly Answered[]).filter(({ name }) => showsHidden || !name.startsWith('.'))
  return {
    title: path === '' ? t('Files') : path.slice(path.lastIndexOf('/') + 1),
    ...(path !== '' && { machine: true as const }),
    lead: (
      <>
        {odd ? null : <Code text={`/${path}`} />} · {count(data.total)}
      </>
    ),
    actions: (
      <>
        <LinkButton
          href={currentPathWith(view, { hidden: showsHidden ? '' : 'true' })}
          label={showsHidden ? 'Hide dot files' : 'Show dot files'}
        />
        {odd ? null : <Above view={view} path={path} />}
      </>
    ),
    body: (
      <>
        {odd ? null : (
          <div class="adding">
            <NewFiles view={view} below={below} folder={<NewDirectory view={view} below={below} />} />
          </div>
        )}
        {items.length === 0 ? (
          <p class="card empty soft">{t('This folder is empty. Drop files above, or make a new file.')}</p>
        ) : (
          <Chosen view={view}>
            <input type="hidden" name="to" value={below} />
            <input type="hidden" name="format" value="zip" />
            <Table
              caption="Files"
              rows={items}
              action={(item) => <Details view={view} item={item} />}
              choose={(item) => choose(itemOf(item), item.name)}
              columns={[
                { field: 'name', cell: (item) => <Entry view={view} item={item} /> },
                ...fields.map((field) => ({
                  field,
                  end: field === 'size',
                  cell: (item: Answered) => <Cell field={field} value={item[field]} now={now} />,
                })),
              ]}
            />
          </Chosen>
        )}
        <More view={view} />
      </>
    ),
  }
}

/** A link to the parent directory. */
const Above = ({ view, path }: { view: ViewContext; path: string }) =>
  path === '' ? null : (
    <a
      class="button"
      href={view.href(...whereOf('/files', { path: path.slice(0, Math.max(0, path.lastIndexOf('/'))) }))}
    >
      {t('Up')}
    </a>
  )

/** A name that is not plain text is shown as far as possible, and its bytes are in the address. */
const Entry = ({ view, item }: { view: ViewContext; item: Answered }) => (
  <a href={view.href(...whereOf(pageOf(view, item), item))}>
    <Code text={item.type === 'directory' ? `${item.name}/` : item.name} />
  </a>
)

/** A text opens in the editor, any other file on its page. */
const pageOf = (view: ViewContext, item: Answered): '/files' | '/edit' | '/file' =>
  item.type === 'directory' ? '/files' : isEdited(view, item) ? '/edit' : '/file'

const MAX_EDITED_BYTES = 1024 * 1024
const binary =
  /\.(jpe?g|png|gif|webp|avif|ico|bmp|tiff?|heic|mp[34]|m4[av]|mov|avi|mkv|webm|ogg|wav|flac|pdf|docx?|xlsx?|pptx?|odt|ods|zip|tar|tgz|tbz2?|txz|7z|rar|gz|bz2|xz|zst|woff2?|ttf|otf|eot|sqlite3?|db|so|bin|exe|wasm|phar|jar)$/i

const isEdited = (view: ViewContext, { type, size, name }: Answered): boolean =>
  type === 'file' && size <= MAX_EDITED_BYTES && !binary.test(name) && view.may('readFile')

/** What else can be done with an entry: move, copy, change permissions, delete. */
const Details = ({ view, item }: { view: ViewContext; item: Answered }) => (
  <a href={view.href(...whereOf('/file', item))}>{t('Details')}</a>
)

const More = ({ view }: { view: ViewContext }) => {
  const path_bytes = view.query.get('path_bytes') ?? undefined
  return view.data.next === undefined ? null : (
    <p>
      <LinkButton href={`${view.path}${queryOf({ path_bytes, cursor: view.data.next })}`} label="More" />
    </p>
  )
}

const NewDirectory = ({ view, below }: { view: ViewContext; below: string }) => (
  <FoldedForm of={view.form('makeDirectory', { value: { path: below }, only: ['path'] })} />
)
