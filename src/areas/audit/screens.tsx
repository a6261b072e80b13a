import { operationList } from '../../contract/index.ts'
import { Code } from '../../web/kit/components/code.tsx'
import { jsonBelow, RowJson } from '../../web/kit/components/json.tsx'
import { t } from '../../web/kit/i18n/i18n.ts'
import type { Answered, Screen, ViewContext } from '../../web/kit/screen.ts'
import { Changes } from './views/changes.tsx'
import { auditPage, datesIn } from './views/filter.tsx'

/** The operation of an old entry may no longer exist. */
function summaryOf({ operation }: Answered): string {
  const declared = operationList.find(({ id }) => id === operation)
  return declared ? t(declared.summary) : operation
}

/** Who, and for whom if an administrator acts as the account. */
const personOf = ({ actor, acting_as }: Answered): string =>
  acting_as ? `${acting_as.name} (${actor.name})` : actor.name

/** Where a part of an upload began says nothing to people. */
const uploads: ReadonlySet<string> = new Set(['sendUpload', 'sendImportUpload'])

const columns = ['operation', 'after', 'at', 'actor.name', 'username', 'via']
const shared = {
  title: 'Audit',
  view: auditPage,
  asks: datesIn,
  looks: {
    operation: { cell: summaryOf, long: true },
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
