import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { Table } from '../../../web/kit/lists/table.tsx'
import type { Answered } from '../../../web/kit/screen.ts'

/** What remains to be done; what the public DNS shows is ticked off. */
export const Checklist = ({ items }: { items: readonly Answered[] }) =>
  items.length === 0 ? null : (
    <Card title="What remains to be done" id="checklist">
      <Table
        caption="What remains to be done"
        rows={items}
        columns={[
          { field: 'step', cell: ({ step }) => step },
          { field: 'text', label: 'What', cell: ({ text }) => text },
          { field: 'domain', cell: ({ domain }) => (domain === undefined ? '–' : <Code text={domain} />) },
          {
            field: 'now',
            label: 'Now',
            long: true,
            cell: ({ now }) => (now === undefined ? '–' : <Code text={now} />),
          },
          {
            field: 'then',
            label: 'Then',
            long: true,
            cell: ({ then }) => (then === undefined ? '–' : <Code text={then} />),
          },
          { field: 'status', cell: ({ done }) => <Chip status={done ? 'done' : 'open'} /> },
        ]}
      />
    </Card>
  )
