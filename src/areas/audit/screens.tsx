import { operationList } from '../../contract/index.ts'
import { RowJson } from '../../web/kit/components/json.tsx'
import { t } from '../../web/kit/i18n/i18n.ts'
import type { Answered, Screen, ViewContext } from '../../web/kit/screen.ts'

/** The operation of an old entry may no longer exist. */
function summaryOf({ operation }: Answered): string {
  const declared = operationList.find(({ id }) => id === operation)
  return declared ? t(declared.summary) : operation
}

const columns = ['at', 'operation', 'actor.name', 'via', 'username', 'token.name', 'address']
const shared = {
  title: 'Audit',
  search: { name: 'operation', label: 'Operation', example: 'suspendAccount' },
  looks: { operation: { cell: summaryOf } },
  rowEnd: (item: Answered, view: ViewContext) => <RowJson view={view} of={item} />,
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
