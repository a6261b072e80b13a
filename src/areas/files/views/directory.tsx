import { Cell } from '../../../web/kit/cell.tsx'
import { Form } from '../../../web/kit/form.tsx'
import { count } from '../../../web/kit/format.ts'
import { queryOf } from '../../../web/kit/href.ts'
import { Machine } from '../../../web/kit/machine.tsx'
import { Chosen } from '../../../web/kit/many.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Table } from '../../../web/kit/table.tsx'
import { t } from '../../../web/kit/text.ts'
import { itemOf, whereOf } from './path.ts'
import { Upload } from './upload.tsx'

const fields = ['size', 'mode', 'modified_at'] as const

/** What is in a directory: directories lead into themselves, the rest to a page of its own. */
export function directory(visit: Visit): Shown {
  const { data, names, now } = visit
  const path = names['path'] ?? ''
  const odd = visit.query.has('path_bytes')
  const below = path === '' ? '' : `${path}/`
  return {
    title: path === '' ? t('Files') : path.slice(path.lastIndexOf('/') + 1),
    ...(path !== '' && { machine: true as const }),
    lead: (
      <>
        {odd ? null : <Machine text={`/${path}`} />} · {count(data.total)}
      </>
    ),
    actions: odd ? null : <Above visit={visit} path={path} />,
    body: (
      <>
        <Chosen visit={visit}>
          <input type="hidden" name="to" value={below} />
          <input type="hidden" name="format" value="zip" />
          {data.items.length === 0 ? <p class="pad soft">{t('The directory is empty.')}</p> : null}
          <Table
            caption={t('Files')}
            rows={data.items as readonly Answered[]}
            choose={(item) => (
              <input type="checkbox" name="_item" value={itemOf(item)} aria-label={t('Choose {name}', item)} />
            )}
            columns={[
              { field: 'name', cell: (item) => <Entry visit={visit} item={item} /> },
              ...fields.map((field) => ({
                field,
                end: field === 'size',
                cell: (item: Answered) => <Cell field={field} value={item[field]} now={now} />,
              })),
            ]}
          />
        </Chosen>
        <More visit={visit} />
        {odd ? null : <Upload visit={visit} />}
        {odd ? null : <NewDirectory visit={visit} below={below} />}
      </>
    ),
  }
}

/** Where a directory or file is, one step up each time. */
const Above = ({ visit, path }: { visit: Visit; path: string }) =>
  path === '' ? null : (
    <a
      class="button"
      href={visit.href(...whereOf('/files', { path: path.slice(0, Math.max(0, path.lastIndexOf('/'))) }))}
    >
      {t('Up')}
    </a>
  )

/** A name that is not plain text is shown as far as it can be, and its bytes stand in the address. */
const Entry = ({ visit, item }: { visit: Visit; item: Answered }) => (
  <a href={visit.href(...whereOf(item.type === 'directory' ? '/files' : '/file', item))}>
    <Machine text={item.type === 'directory' ? `${item.name}/` : item.name} />
  </a>
)

const More = ({ visit }: { visit: Visit }) => {
  const path_bytes = visit.query.get('path_bytes') ?? undefined
  return visit.data.next === undefined ? null : (
    <p>
      <a class="button" href={`${visit.path}${queryOf({ path_bytes, cursor: visit.data.next })}`}>
        {t('More')}
      </a>
    </p>
  )
}

const NewDirectory = ({ visit, below }: { visit: Visit; below: string }) => {
  const form = visit.form('makeDirectory', { value: { path: below }, only: ['path'] })
  return form ? (
    <details class="card" open={form.refusal !== undefined}>
      <summary>{t(form.label)}</summary>
      <div class="pad">
        <Form of={form} />
      </div>
    </details>
  ) : null
}
