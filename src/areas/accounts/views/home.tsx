import { Usage } from '../../../contract/accounts.ts'
import { LinkButton } from '../../../web/kit/button.tsx'
import { Chip } from '../../../web/kit/chip.tsx'
import { FactList } from '../../../web/kit/facts.tsx'
import { count, megabytes } from '../../../web/kit/format.ts'
import { ItemCard } from '../../../web/kit/list.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { Meter } from '../../../web/kit/meter.tsx'
import type { Answered, Looks, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { Day, Time } from '../../../web/kit/time.tsx'
import { Activity } from './activity.tsx'
import { Notices } from './notices.tsx'
import { Tasks } from './tasks.tsx'

/** A customer's home page: what needs attention, usage, sites, and common tasks. */
export const accountHome = (visit: Visit): Shown => ({
  title: visit.data.main_domain,
  machine: true,
  status: visit.data.status,
  lead: <Lead visit={visit} />,
  actions: <Ways visit={visit} />,
  body: (
    <>
      <Notices visit={visit} />
      <Meters usage={visit.also['usage']} />
      <div class="two">
        <div class="stack">
          <Sites visit={visit} domains={visit.also['domains']} />
          <Activity visit={visit} />
        </div>
        <Tasks visit={visit} />
      </div>
    </>
  ),
})

const Lead = ({ visit: { data, also, now } }: { visit: Visit }) => (
  <>
    {t('Package')} <bdi>{data.package_name}</bdi> · <Machine text={data.ip_address} /> · {t('user')}{' '}
    <Machine text={data.username} />
    {also['usage'] ? (
      <>
        {' · '}
        {t('measured')} <Time at={also['usage'].measured_at} now={now} />
      </>
    ) : null}
  </>
)

const Ways = ({ visit }: { visit: Visit }) => (
  <>
    <LinkButton href={`https://${visit.data.main_domain}/`} label="Open site" icon="out" rel="noreferrer noopener" />
    {visit.has('/domains/new') && visit.may('createDomain') ? (
      <LinkButton href={visit.href('/domains/new')} label="Add a domain" look="main" icon="plus" />
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

const aside = ['measured_at', 'at_least']

/** The figures that the contract describes as measured or counted, with its labels. */
const Figures = ({ usage }: { usage: Answered }) => (
  <FactList
    of={Object.entries(Usage.shape)
      .filter(([name]) => !aside.includes(name))
      .map(([name, { description = name }]) => [t(description), of(usage[name])])}
  />
)

const of = ({ used, limit }: { used: number; limit?: number }): string =>
  limit === undefined
    ? t('{used}, unlimited', { used: count(used) })
    : t('{used} of {limit}', { used: count(used), limit: count(limit) })

const Sites = ({ visit, domains }: { visit: Visit; domains: Answered }) =>
  domains ? (
    <ItemCard
      visit={visit}
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
