import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Cell } from '../../../web/kit/components/cell.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { queryOf } from '../../../web/kit/format/href.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Chosen, chooser } from '../../../web/kit/lists/bulk-select.tsx'
import { Pills } from '../../../web/kit/lists/pills.tsx'
import { Table } from '../../../web/kit/lists/table.tsx'
import type { Answered, PageView, Rows, Screen, ViewContext } from '../../../web/kit/screen.ts'

/** The parts that can be looked into, as the pages call them. */
const parts = { files: 'Files', mysql: 'Databases', mail: 'Mailboxes', dns: 'DNS zones' } as const
type Part = keyof typeof parts

/** The body field that names what to restore of a part. */
const fields: { readonly [P in Part]?: string } = { files: 'paths', mysql: 'databases' }

const below: readonly string[] = ['directory', 'database', 'mailbox']

/** A row names its part, so that the form needs nothing else. */
const itemOf = (part: Part, path: string): string => `${part}:${path}`

const nameIn = (item: string): string => item.slice(item.indexOf(':') + 1)
const partIn = (item: string): string | undefined => fields[item.slice(0, item.indexOf(':')) as Part]

const chosen: Rows = {
  name: nameIn,
  together: true,
  input: (items, typed) => ({ ...typed, [partIn(items[0]!) ?? 'paths']: items.map(nameIn) }),
}

/** One page for each level of each part. */
export const contents: readonly Screen[] = (Object.keys(parts) as Part[]).flatMap((part): Screen[] => {
  const screen: Screen = {
    path: `/backups/{backup}/${part}`,
    title: parts[part],
    shows: 'listBackupEntries',
    query: { part },
    sections: { backup: { run: 'getBackup', quiet: true } },
    view: (view) => listing(view, part),
    ...(fields[part] && {
      acts: {
        restoreBackup: {
          done: 'The backup is being restored.',
          label: 'Restore',
          many: true,
          rows: chosen,
          only: part === 'files' ? ['to', 'safety'] : ['safety'],
        },
      },
    }),
  }
  if (part === 'dns') return [screen]
  return [screen, { ...screen, path: `${screen.path}/{path...}`, query: { part, path: '{path}' } }]
})

/** Links to what a backup contains, for backups that have been made. */
export const Browse = ({ view, of }: { view: ViewContext; of: Answered }) => {
  const first = partsOf(of)[0]
  return first === undefined || !view.may('listBackupEntries') ? null : (
    <LinkButton href={view.href(`/backups/{id}/${first}`, of)} label="Browse" />
  )
}

const partsOf = (backup: Answered): Part[] => {
  const saved = new Set((backup.parts ?? []).filter(({ status }: Answered) => status === 'ok').map(partOf))
  return (Object.keys(parts) as Part[]).filter((part) => saved.has(part))
}

const partOf = ({ part }: Answered): string => part

function listing(view: ViewContext, part: Part): PageView {
  const { names, data, query, now } = view
  const path = names['path'] ?? ''
  const items: readonly Answered[] = data.items
  return {
    title: path === '' ? t(parts[part]) : path.slice(path.lastIndexOf('/') + 1),
    ...(path !== '' && { machine: true as const }),
    lead: t(lead[part]),
    body: (
      <>
        <Parts view={view} part={part} />
        {items.length === 0 ? (
          <p class="card empty soft">{t('There is nothing in it.')}</p>
        ) : (
          <Entries view={view} part={part} path={path} items={items} now={now} />
        )}
        {data.next === undefined ? null : (
          <p>
            <LinkButton
              href={`${view.path}${queryOf({ limit: query.get('limit') ?? undefined, after: data.next })}`}
              label="More"
            />
          </p>
        )}
      </>
    ),
  }
}

const lead: Readonly<Record<Part, string>> = {
  files:
    'Select files or folders and restore just those. What is there now is replaced, unless you name another folder.',
  mysql: 'Select databases and restore just those. What is in them now is replaced.',
  mail: 'Mail is restored as a whole: all mailboxes at once.',
  dns: 'Zones are restored as a whole: all at once.',
}

const Parts = ({ view, part }: { view: ViewContext; part: Part }) => {
  const saved = view.sections['backup'] ? partsOf(view.sections['backup']) : [part]
  return (
    <Pills
      label="Part"
      of={saved.map((one) => ({
        href: view.href(`/backups/{backup}/${one}`, view.names),
        text: t(parts[one]),
        isNow: one === part,
      }))}
    />
  )
}

interface EntriesProps {
  readonly view: ViewContext
  readonly part: Part
  readonly path: string
  readonly items: readonly Answered[]
  readonly now: number
}

const Entries = ({ view, part, path, items, now }: EntriesProps) => {
  const choose = chooser()
  const at = (name: string): string => (path === '' ? name : `${path}/${name}`)
  const isChosen = ({ name, type }: Answered): boolean =>
    isPlain(name) && (part === 'files' || (part === 'mysql' && type === 'database'))
  const columns = part === 'files' ? (['size', 'mode', 'modified_at'] as const) : (['size'] as const)
  const isSelectable = items.some(isChosen)
  const table = (
    <Table
      caption={parts[part]}
      rows={items}
      choose={
        isSelectable ? (item) => (isChosen(item) ? choose(itemOf(part, at(item.name)), item.name) : null) : undefined
      }
      columns={[
        { field: 'name', cell: (item) => <Entry view={view} part={part} item={item} path={at(item.name)} /> },
        { field: 'type', cell: (item) => <Cell field="type" value={item.type} now={now} /> },
        ...columns.map((field) => ({
          field,
          end: field === 'size',
          cell: (item: Answered) => <Cell field={field} value={item[field]} now={now} />,
        })),
      ]}
    />
  )
  return isSelectable ? <Chosen view={view}>{table}</Chosen> : <div class="card">{table}</div>
}

/** A name that is not text cannot be in an address or a request. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const isPlain = (name: string): boolean => !/[\ufffd\u0000-\u001f\u007f-\u009f]/.test(name)

const Entry = ({ view, part, item, path }: { view: ViewContext; part: Part; item: Answered; path: string }) => {
  const text = <Code text={item.type === 'directory' ? `${item.name}/` : item.name} />
  if (!below.includes(item.type) || !isPlain(item.name)) return text
  return <a href={view.href(`/backups/{backup}/${part}/{path...}`, { ...view.names, path })}>{text}</a>
}
