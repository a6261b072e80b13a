import { LinkButton } from '../../../web/kit/button.tsx'
import { Cell } from '../../../web/kit/cell.tsx'
import { FoldedForm } from '../../../web/kit/fold.tsx'
import { count } from '../../../web/kit/format.ts'
import { queryOf } from '../../../web/kit/href.ts'
import { Machine } from '../../../web/kit/machine.tsx'
import { Chosen, chooser } from '../../../web/kit/many.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Table } from '../../../web/kit/table.tsx'
import { t } from '../../../web/kit/text.ts'
import { itemOf, whereOf } from './path.ts'
import { NewFiles } from './upload.tsx'

const fields = ['size', 'mode', 'modified_at'] as const

/** A directory's entries: directories link to their listing, everything else to a page of its own. */
export function directory(visit: Visit): Shown {
  const { data, names, now } = visit
  const path = names['path'] ?? ''
  const odd = visit.query.has('path_bytes')
  const below = path === '' ? '' : `${path}/`
  const choose = chooser()
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
            caption="Files"
            rows={data.items as readonly Answered[]}
            choose={(item) => choose(itemOf(item), item.name)}
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
        {odd ? null : <NewFiles visit={visit} below={below} />}
        {odd ? null : <NewDirectory visit={visit} below={below} />}
      </>
    ),
  }
}

/** A link to the parent directory. */
const Above = ({ visit, path }: { visit: Visit; path: string }) =>
  path === '' ? null : (
    <a
      class="button"
      href={visit.href(...whereOf('/files', { path: path.slice(0, Math.max(0, path.lastIndexOf('/'))) }))}
    >
      {t('Up')}
    </a>
  )

/** A name that is not plain text is shown as far as possible, and its bytes are in the address. */
const Entry = ({ visit, item }: { visit: Visit; item: Answered }) => (
  <a href={visit.href(...whereOf(item.type === 'directory' ? '/files' : '/file', item))}>
    <Machine text={item.type === 'directory' ? `${item.name}/` : item.name} />
  </a>
)

const More = ({ visit }: { visit: Visit }) => {
  const path_bytes = visit.query.get('path_bytes') ?? undefined
  return visit.data.next === undefined ? null : (
    <p>
      <LinkButton href={`${visit.path}${queryOf({ path_bytes, cursor: visit.data.next })}`} label="More" />
    </p>
  )
}

const NewDirectory = ({ visit, below }: { visit: Visit; below: string }) => (
  <FoldedForm of={visit.form('makeDirectory', { value: { path: below }, only: ['path'] })} />
)
