import { Chip } from '../../../web/kit/components/chip.tsx'
import { FactList } from '../../../web/kit/components/description-list.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { Day } from '../../../web/kit/components/time.tsx'
import { toneOf } from '../../../web/kit/format/status.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import { Buttons, Changes, Facts } from '../../../web/kit/pages/object.tsx'
import type { Answered, Looks, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** The machine: whether its agent answers, its services, its versions of PHP and its names. */
export function hostPage(view: ViewContext): PageView {
  const { agent, machine = {}, names = [], driver } = view.data
  const isTrial = driver === 'directory'
  return {
    title: t(view.screen.title),
    ...(isTrial && agent.status !== 'unreachable' ? { status: 'trial' } : statusOf(agent)),
    lead: agent.reason ?? (isTrial ? t(TRIAL) : undefined),
    actions: <Buttons view={view} />,
    body: (
      <>
        <Facts view={view} of={summaryOf(view.data)} />
        <Table view={view} title="Services" items={machine.services} columns={['name', 'unit', 'state', 'version']} />
        <Table view={view} title="PHP" items={machine.php} columns={['version', 'default', 'end_of_life']} />
        <Table view={view} title="Names" items={names} columns={['name', 'use', 'resolves_here', 'record']} />
        <Lacks items={machine.unenforced} title="Limits that are not enforced" name="kind" />
        <Lacks items={machine.misconfigured} title="Services that would not start" name="name" />
        <Changes view={view} />
      </>
    ),
  }
}

/** The agent is meant to run, or to sleep until it is needed. */
const statusOf = ({ status }: Answered): Pick<PageView, 'status' | 'tone'> => ({
  status,
  tone: toneOf(status === 'unreachable' ? 'failed' : 'active'),
})

const TRIAL = 'A trial: files are written below the data directory. Web, mail and databases are not served.'

/** PHP's last day of updates. */
const looks: Looks = {
  end_of_life: {
    label: 'Updates until',
    cell: ({ end_of_life }, now) => {
      if (end_of_life === undefined) return undefined
      const at = Date.parse(end_of_life)
      return at < now ? (
        <>
          <Chip status="expired" word="Ended" /> <Day at={at} />
        </>
      ) : (
        <Day at={at} />
      )
    },
  },
}

const summaryOf = ({ counts, machine = {}, certificate, trust_tenants }: Answered): Answered => ({
  ...counts,
  ...(machine.system && { system: machine.system }),
  ...(machine.quota && { quota: machine.quota }),
  ...(machine.queued_mail !== undefined && { queued_mail: machine.queued_mail }),
  ...(certificate && { certificate: certificate.kind, not_after: certificate.not_after }),
  ...(trust_tenants && { trust_tenants }),
})

interface TableProps {
  readonly view: ViewContext
  readonly title: string
  readonly items: readonly Answered[] | undefined
  readonly columns: readonly string[]
}

const Table = ({ items = [], ...more }: TableProps) =>
  items.length === 0 ? null : <ItemCard items={items} looks={looks} {...more} />

const Lacks = ({ items = [], title, name }: { items?: readonly Answered[]; title: string; name: string }) =>
  items.length === 0 ? null : (
    <Card title={title}>
      <FactList of={items.map((one: Answered) => [one[name], one.reason])} />
    </Card>
  )
