import { Code } from '../../web/kit/components/code.tsx'
import { jsonBelow, RowJson } from '../../web/kit/components/json.tsx'
import type { Answered, Screen, ViewContext } from '../../web/kit/screen.ts'
import { Changes } from './views/changes.tsx'
import { auditPage, filtersIn } from './views/filter.tsx'
import { summaryOf } from './views/operations.ts'

/** Who, and for whom if an administrator acts as the account. */
const personOf = ({ actor, acting_as }: Answered): string =>
  acting_as ? `${acting_as.name} (${actor.name})` : actor.name

/** Where a part of an upload began says nothing to people. */
const uploads: ReadonlySet<string> = new Set(['sendUpload', 'sendImportUpload'])

const columns = ['operation', 'after', 'at', 'actor.name', 'username', 'via']
const shared = {
  title: 'Audit',
  view: auditPage,
  asks: filtersIn,
  looks: {
    operation: { cell: ({ operation }: Answered) => summaryOf(operation), long: true },
    after: {
      label: 'What changed',
      long: true,
      cell: (item: Answered) => <>{uploads.has(item.operation) ? null : <Changes {...item} />}</>,
    },
    'actor.name': { label: 'Person', cell: (item: Answered) => <Code text={personOf(item)} /> },
  },
  rowEnd: (item: Answered, view: ViewContext) => <RowJson view={view} of={item} />,
  rowDetails: jsonBelow,
  empty: 'Nothing was changed yet.',
  find: ['who changed what', 'history'],
}

export const screens: readonly Screen[] = [
  { ...shared, path: '/audit', shows: 'listAudit', columns, nav: { group: 'work', order: 30 } },
  {
    ...shared,
    path: '/activity/audit',
    shows: 'listAuditForAccount',
    columns: columns.filter((name) => name !== 'username'),
  },
]
