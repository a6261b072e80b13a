import type { Child } from 'hono/jsx'
import { Usage } from '../../../contract/accounts.ts'
import { Chip } from '../../../web/kit/chip.tsx'
import { count, megabytes } from '../../../web/kit/format.ts'
import { Machine } from '../../../web/kit/machine.tsx'
import { Meter } from '../../../web/kit/meter.tsx'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Table } from '../../../web/kit/table.tsx'
import { t } from '../../../web/kit/text.ts'
import { Day, Time } from '../../../web/kit/time.tsx'
import { Jobs } from './jobs.tsx'
import { Notices } from './notices.tsx'
import { Tasks } from './tasks.tsx'

/** Where a customer lands: what needs attention, what is used, the sites, and what is done most. */
export const accountHome = (visit: Visit): Shown => ({
  title: visit.data.main_domain,
  status: visit.data.status,
  lead: <Lead visit={visit} />,
  actions: <Add visit={visit} />,
  body: (
    <>
      <Notices visit={visit} items={visit.also['notices']?.items} />
      <Meters visit={visit} usage={visit.also['usage']} />
      <div class="two">
        <div class="stack">
          <Sites visit={visit} domains={visit.also['domains']} />
          <Jobs visit={visit} jobs={visit.also['jobs']} title="Activity" />
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

const Add = ({ visit }: { visit: Visit }) =>
  visit.has('/domains/new') && visit.may('createDomain') ? (
    <a class="button main" href={visit.href('/domains/new')}>
      {t('Add a domain')}
    </a>
  ) : null

const Meters = ({ usage }: { visit: Visit; usage: Answered }) =>
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

/** What the contract says is measured or counted, and what it calls it. */
const Figures = ({ usage }: { usage: Answered }) => (
  <dl class="facts">
    {Object.entries(Usage.shape)
      .filter(([name]) => !aside.includes(name))
      .map(([name, { description = name }]) => (
        <>
          <dt>{t(description)}</dt>
          <dd>{of(usage[name])}</dd>
        </>
      ))}
  </dl>
)

const of = ({ used, limit }: { used: number; limit?: number }): string =>
  limit === undefined
    ? t('{used}, unlimited', { used: count(used) })
    : t('{used} of {limit}', { used: count(used), limit: count(limit) })

const Sites = ({ visit, domains }: { visit: Visit; domains: Answered }) =>
  domains ? (
    <Card title={t('Sites')}>
      <Table
        caption={t('Sites')}
        rows={domains.items as readonly Answered[]}
        columns={[
          { field: 'name', cell: (site: Answered) => <Site visit={visit} site={site} /> },
          {
            field: 'handler',
            label: 'Runs',
            cell: ({ kind, handler }) => t(kind === 'parked' ? 'Parked' : (runs[handler as string] ?? '')),
          },
          { field: 'certificate', cell: ({ certificate }) => <Certificate certificate={certificate} /> },
        ]}
      />
    </Card>
  ) : null

const runs: Readonly<Record<string, string>> = { static: 'Static', php: 'PHP', 'php-front': 'PHP', app: 'App' }

const Site = ({ visit, site }: { visit: Visit; site: Answered }): Child =>
  visit.has('/domains/{domain}') ? (
    <a href={visit.href('/domains/{name}', site)}>
      <Machine text={site.name} />
    </a>
  ) : (
    <Machine text={site.name} />
  )

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
