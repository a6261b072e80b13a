import { Usage } from '../../../contract/accounts.ts'
import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { FactList } from '../../../web/kit/components/description-list.tsx'
import { Meter } from '../../../web/kit/components/meter.tsx'
import { Day, Time } from '../../../web/kit/components/time.tsx'
import { count, megabytes } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import type { Answered, Looks, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { Activity } from './activity.tsx'
import { Notices } from './notices.tsx'
import { Tasks } from './tasks.tsx'

/** A customer's home page: what needs attention, usage, sites, and common tasks. */
export const accountHome = (view: ViewContext): PageView => ({
  title: view.data.main_domain,
  machine: true,
  status: view.data.status,
  lead: <Lead view={view} />,
  actions: <SignInLinks view={view} />,
  body: (
    <>
      <Notices view={view} />
      <Meters usage={view.sections['usage']} />
      <div class="two">
        <div class="stack">
          <Sites view={view} domains={view.sections['domains']} />
          <Activity view={view} />
        </div>
        <Tasks view={view} />
      </div>
    </>
  ),
})

const Lead = ({ view: { data, sections, now } }: { view: ViewContext }) => (
  <>
    {t('Package')} <bdi>{data.package_name}</bdi> · <Code text={data.ip_address} /> · {t('user')}{' '}
    <Code text={data.username} />
    {sections['usage'] ? (
      <>
        {' · '}
        {t('measured')} <Time at={sections['usage'].measured_at} now={now} />
      </>
    ) : null}
  </>
)

const SignInLinks = ({ view }: { view: ViewContext }) => (
  <>
    <LinkButton href={`https://${view.data.main_domain}/`} label="Open site" icon="out" rel="noreferrer noopener" />
    {view.has('/domains/new') && view.may('createDomain') ? (
      <LinkButton href={view.href('/domains/new')} label="Add a domain" look="main" icon="plus" />
    ) : null}
  </>
)

const Meters = ({ usage }: { usage: Answered }) =>
  usage ? (
    <section class="card" aria-label={t('Usage')}>
      <div class="meters">
        <Meter
          label={t('Disk')}
          {...usage.disk_mb}
          say={megabytes}
          note={usage.at_least ? <small>{t('at least')}</small> : null}
        />
        <Meter label={t('Traffic this month')} {...usage.bandwidth_mb} say={megabytes} />
        <Meter label={t('Mailboxes')} {...usage.email_accounts} say={count} />
        <Meter label={t('Databases')} {...usage.databases} say={count} />
      </div>
      <details>
        <summary class="pad">{t('All limits')}</summary>
        <Figures usage={usage} />
      </details>
    </section>
  ) : null

const separate = ['measured_at', 'at_least']

/** The figures that the contract describes as measured or counted, with its labels. */
const Figures = ({ usage }: { usage: Answered }) => (
  <FactList
    of={Object.entries(Usage.shape)
      .filter(([name]) => !separate.includes(name))
      .map(([name, { description = name }]) => [t(description), of(usage[name])])}
  />
)

const of = ({ used, limit }: { used: number; limit?: number }): string =>
  limit === undefined
    ? t('{used}, unlimited', { used: count(used) })
    : t('{used} of {limit}', { used: count(used), limit: count(limit) })

const Sites = ({ view, domains }: { view: ViewContext; domains: Answered }) =>
  domains ? (
    <ItemCard
      view={view}
      title="Sites"
      items={domains.items}
      columns={['name', 'handler', 'certificate']}
      looks={looks}
      to="/domains/{name}"
    />
  ) : null

const looks: Looks = {
  handler: { cell: ({ kind, handler }) => t(kind === 'parked' ? 'Parked' : (runs[handler] ?? '')) },
  certificate: { cell: ({ certificate }) => <Certificate certificate={certificate} /> },
}

const runs: Readonly<Record<string, string>> = { static: 'Static', php: 'PHP', 'php-front': 'PHP', app: 'App' }

const tones = { valid: 'good', expiring: 'warn', expired: 'bad' } as const

const Certificate = ({ certificate }: { certificate: Answered }) => {
  if (!certificate || certificate.kind === 'self_signed') return <Chip status="off" word="None yet" />
  return (
    <span>
      <Chip status={certificate.status} tone={tones[certificate.status as keyof typeof tones]} word="until" />{' '}
      <Day at={certificate.not_after} />
    </span>
  )
}
