import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { listPage } from '../../../web/kit/lists/list.tsx'
import { Table } from '../../../web/kit/lists/table.tsx'
import type { Answered, PageQuestion, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { importName } from './name.ts'
import { Share, stepNow } from './steps.tsx'

const MAX_ROWS = '50'

/** Those that something happens to now. */
export const unfinished = (status: string): PageQuestion => ({
  run: 'listImports',
  query: { status, per_page: MAX_ROWS },
  quiet: true,
})

/** All imports; above them how far those are that run or wait. */
export function importsPage(view: ViewContext): PageView {
  const { running, syncing, queued } = view.sections
  const now: Answered[] = [running, syncing, queued].flatMap((answer) => answer?.items ?? [])
  const progress = (
    <div id="progress" hidden={now.length === 0}>
      <Progress view={view} items={now} />
    </div>
  )
  const page = listPage({ ...view, data: { ...view.data, items: view.data.items.map(withName) } })
  return {
    ...page,
    body: (
      <>
        {progress}
        {page.body}
      </>
    ),
    parts: { progress },
    live: { continues: now.length > 0 },
  }
}

/** The link to its page is never empty. */
const withName = (one: Answered): Answered => ({ ...one, username: importName(one) })

const Progress = ({ view, items }: { view: ViewContext; items: readonly Answered[] }) =>
  items.length === 0 ? null : (
    <Card title="Running now">
      <Table
        caption="Running now"
        rows={items}
        columns={[
          {
            field: 'username',
            cell: (one) => (
              <a href={view.href('/imports/{id}', one)}>
                <Code text={importName(one)} />
              </a>
            ),
          },
          { field: 'status', cell: ({ status }) => <Chip status={status} /> },
          { field: 'step', cell: ({ steps }) => (stepNow(steps) ? t(stepNow(steps)!.word) : '–') },
          { field: 'done', label: 'Done', end: true, cell: ({ steps }) => <Share of={stepNow(steps)?.step} /> },
        ]}
      />
    </Card>
  )
