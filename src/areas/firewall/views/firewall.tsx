import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemCard, rowAction } from '../../../web/kit/lists/list.tsx'
import { Buttons } from '../../../web/kit/pages/object.tsx'
import type { Answered, Looks, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** Ports as a table, the rules, and what a firewall of others or an unknown program adds to them. */
export function firewallPage(view: ViewContext): PageView {
  const { enabled, revert_at, ports, rules, listening, foreign } = view.data
  const isTrial = view.sections['host']?.driver === 'directory'
  return {
    title: t(view.screen.title),
    status: isTrial ? 'trial' : enabled ? 'active' : 'off',
    lead: isTrial ? t(TRIAL) : enabled ? waiting(revert_at, view.now) : t(OFF),
    actions: <Actions view={view} />,
    body: (
      <>
        <ItemCard
          view={view}
          title="Open ports"
          items={ports}
          columns={['ports', 'proto', 'service', 'access']}
          looks={looks}
        />
        <ItemCard
          view={view}
          title="Rules"
          items={rules}
          columns={['action', 'port', 'service', 'proto', 'from', 'comment', 'status']}
          looks={looks}
          action={enabled ? rowAction({ ...view, screen: { ...view.screen, acts: ofRow(view) } }) : undefined}
        />
        <Others
          view={view}
          title="What else listens"
          items={listening}
          columns={['port', 'proto', 'address', 'program', 'open']}
        />
        <Others view={view} title="Rules of others" items={foreign} columns={['chain', 'policy', 'rules']} />
      </>
    ),
  }
}

const TRIAL = 'A trial: no port of this machine is opened or closed. A server opens what is listed.'
const OFF = 'All ports are open. On the server, this closes those that no service needs: panel host setup --firewall'

const waiting = (revertAt: number | undefined, now: number) =>
  revertAt === undefined ? undefined : (
    <>
      {t('The last change is undone unless you keep it:')} <Time at={revertAt} now={now} />
    </>
  )

const Actions = ({ view }: { view: ViewContext }) => {
  const { add, acts: { deleteFirewallRule: _row, ...acts } = {} } = view.screen
  return (
    <>
      <Buttons view={{ ...view, screen: { ...view.screen, acts } }} />
      {add && view.data.enabled && view.data.revert_at === undefined && view.may('addFirewallRule') && (
        <LinkButton href={view.href(add.to)} label={add.label} />
      )}
    </>
  )
}

const ofRow = ({ screen: { acts = {} } }: ViewContext) =>
  acts.deleteFirewallRule ? { deleteFirewallRule: acts.deleteFirewallRule } : {}

const looks: Looks = {
  action: { cell: ({ action }: Answered) => t(action === 'allow' ? 'Let in' : 'Keep out') },
  access: { label: 'Reached by', cell: ({ access }: Answered) => t(reached[access]!) },
  status: { cell: ({ status }: Answered) => <Chip status={status} word={statuses[status]!} /> },
}

const reached: Readonly<Record<string, string>> = { all: 'Everybody', some: 'Some addresses', none: 'No other machine' }
const statuses: Readonly<Record<string, string>> = {
  active: 'Active',
  adding: 'Not kept yet',
  deleting: 'Goes, not kept yet',
}

interface OthersProps {
  readonly view: ViewContext
  readonly title: string
  readonly items: readonly Answered[]
  readonly columns: readonly string[]
}

const Others = ({ items, ...more }: OthersProps) => (items.length === 0 ? null : <ItemCard items={items} {...more} />)
