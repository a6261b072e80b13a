import { Cell } from '../../../web/kit/cell.tsx'
import { Form } from '../../../web/kit/form.tsx'
import { count } from '../../../web/kit/format.ts'
import { Machine } from '../../../web/kit/machine.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Table } from '../../../web/kit/table.tsx'
import { t } from '../../../web/kit/text.ts'

const fields = ['size', 'mode', 'modified_at'] as const

/** What is in a directory: directories lead into themselves, the rest to a page of its own. */
export function directory(visit: Visit): Shown {
  const { data, names, now } = visit
  const path = names['path'] ?? ''
  return {
    title: path === '' ? t('Files') : path.slice(path.lastIndexOf('/') + 1),
    ...(path !== '' && { machine: true as const }),
    lead: (
      <>
        <Machine text={`/${path}`} /> · {count(data.total)}
      </>
    ),
    body: (
      <>
        <div class="card">
          {data.items.length === 0 ? <p class="pad soft">{t('The directory is empty.')}</p> : null}
          <Table
            caption={t('Files')}
            rows={data.items as readonly Answered[]}
            columns={[
              { field: 'name', cell: (item) => <Entry visit={visit} item={item} /> },
              ...fields.map((field) => ({
                field,
                end: field === 'size',
                cell: (item: Answered) => <Cell field={field} value={item[field]} now={now} />,
              })),
            ]}
          />
        </div>
        <More visit={visit} />
        <NewDirectory visit={visit} path={path} />
      </>
    ),
  }
}

/** A name that is no text can be shown, and reached by the API alone. */
const Entry = ({ visit, item }: { visit: Visit; item: Answered }) => {
  const name = <Machine text={item.type === 'directory' ? `${item.name}/` : item.name} />
  if (item.path_bytes !== undefined) return name
  const to = item.type === 'directory' ? '/files/{path...}' : '/file/{path...}'
  return <a href={visit.href(to, { path: item.path })}>{name}</a>
}

const More = ({ visit }: { visit: Visit }) =>
  visit.data.next === undefined ? null : (
    <p>
      <a class="button" href={`${visit.path}?cursor=${encodeURIComponent(visit.data.next)}`}>
        {t('More')}
      </a>
    </p>
  )

const NewDirectory = ({ visit, path }: { visit: Visit; path: string }) => {
  const form = visit.form('makeDirectory', { value: { path: path === '' ? '' : `${path}/` }, only: ['path'] })
  return form ? (
    <details class="card" open={form.refusal !== undefined}>
      <summary>{t(form.label)}</summary>
      <div class="pad">
        <Form of={form} />
      </div>
    </details>
  ) : null
}
