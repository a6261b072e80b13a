import { Usage } from '../../../contract/accounts.ts'
import { LinkButton } from '../../../web/kit/components/button.tsx'
import { CertificateChip } from '../../../web/kit/components/certificate.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { FactList } from '../../../web/kit/components/description-list.tsx'
import { Meter } from '../../../web/kit/components/meter.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { count, limitMegabytes, megabytes } from '../../../web/kit/format/format.ts'
import { ButtonForm } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import type { Answered, Looks, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { Activity } from './activity.tsx'
import { Connect } from './connect.tsx'
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
      <Meters usage={view.sections['usage']} view={view} />
      <div class="two">
        <div class="stack">
          <Sites view={view} domains={view.sections['domains']} />
          <Activity view={view} />
        </div>
        <div class="stack">
          <Connect view={view} />
          <Tasks view={view} />
        </div>
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

const Meters = ({ usage, view }: { usage: Answered; view: ViewContext }) =>
  usage ? (
    <section class="card" aria-label={t('Usage')}>
      <div class="meters">
        <Meter
          label={t('Disk')}
          {...usage.disk_mb}
          say={megabytes}
          sayLimit={limitMegabytes}
          note={usage.at_least ? <small>{t('at least')}</small> : null}
        />
        <Meter label={t('Traffic this month')} {...usage.bandwidth_mb} say={megabytes} sayLimit={limitMegabytes} />
        <Meter label={t('Mailboxes')} {...usage.email_accounts} say={count} />
        <Meter label={t('Databases')} {...usage.databases} say={count} />
      </div>
      <details>
        <summary class="pad">{t('All limits')}</summary>
        <Figures usage={usage} />
        {view.has('/settings') ? (
          <p class="pad">
            <a href={view.href('/settings')}>{t('Change the limits')}</a>
          </p>
        ) : null}
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
      looks={looksOf(view)}
      to="/domains/{name}"
      action={(item) => <SiteLinks view={view} of={item} />}
    />
  ) : null

/** Its certificate; one with one press if it lacks one. */
const CertificateOf = ({ view, of: { id, certificate } }: { view: ViewContext; of: Answered }) => {
  const lacks = !certificate || certificate.kind === 'self_signed'
  return (
    <>
      <CertificateChip certificate={certificate} />{' '}
      {lacks && view.hasAuthority && view.may('issueCertificate') && view.has('/ssl/issue') ? (
        <ButtonForm
          of={{ op: 'issueCertificate', action: view.href('/ssl/issue'), csrf: view.posts.csrf, fields: [], label: '' }}
          label="Issue certificate"
        >
          <input type="hidden" name="domain_id" value={id} />
        </ButtonForm>
      ) : null}
    </>
  )
}

const SiteLinks = ({ view, of }: { view: ViewContext; of: Answered }) => {
  const { name, document_root } = of
  return (
    <span class="buttons">
      {view.may('listFiles') ? <a href={view.href('/files/{path...}', { path: document_root })}>{t('Files')}</a> : null}
      {view.may('getVisitors') ? <a href={view.href('/visitors/{domain}', { domain: name })}>{t('Visitors')}</a> : null}
    </span>
  )
}

const looksOf = (view: ViewContext): Looks => ({
  name: { long: true },
  handler: { cell: ({ kind, handler }) => t(kind === 'parked' ? 'Alias' : (runs[handler] ?? '')) },
  certificate: { cell: (item) => <CertificateOf view={view} of={item} /> },
})

const runs: Readonly<Record<string, string>> = { static: 'Static', php: 'PHP', 'php-front': 'PHP', app: 'App' }
