import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { Table } from '../../../web/kit/lists/table.tsx'
import type { Answered } from '../../../web/kit/screen.ts'

interface Props {
  readonly items: readonly Answered[]
  /** For the customer, who has no command line here. */
  readonly plain?: true
}

/** From 1 on, without the numbers of steps that this import does not have. */
const numberOf = ({ step }: Answered, items: readonly Answered[]): number =>
  [...new Set(items.map((item) => item.step))].indexOf(step) + 1

const withoutCommand = (text: string): string => text.replace(/: panel [^.]*/, '')

/** What remains to be done; what the public DNS shows is ticked off. */
export const Checklist = ({ items, plain }: Props) =>
  items.length === 0 ? null : (
    <Card title="What remains to be done" id="checklist">
      <Table
        caption="What remains to be done"
        rows={items}
        columns={[
          { field: 'step', cell: (item) => numberOf(item, items) },
          { field: 'text', label: 'What', cell: ({ text }) => (plain ? withoutCommand(text) : text) },
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
