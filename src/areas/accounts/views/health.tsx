import type { Child } from 'hono/jsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Meter } from '../../../web/kit/components/meter.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { count, limitMegabytes, megabytes } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered, ViewContext } from '../../../web/kit/screen.ts'

/** The machine, its services, certificates and backups: what root looks at first. */
export const Health = ({ view }: { view: ViewContext }) => {
  const { health, host } = view.sections
  if (!health) return null
  const { load, cpus, memory, disks } = health
  return (
    <section class="card" aria-label={t('Health')}>
      <div class="meters">
        <Meter
          label={t('Load, {count} CPUs', { count: count(cpus) })}
          used={load.five_pct}
          limit={100}
          say={percent}
          isShare
        />
        <Meter label={t('Memory')} used={memory.used_mb} limit={memory.total_mb} say={megabytes} />
        {disks.map(({ path, used_mb, total_mb }: Answered) => (
          <Meter label={t('Disk {path}', { path })} used={used_mb} limit={total_mb} say={megabytes} />
        ))}
      </div>
      <p class="foot">
        <State view={view} health={health} host={host} />
      </p>
    </section>
  )
}

const percent = (value: number): string => `${count(value)}%`

const State = ({ view, health, host }: { view: ViewContext; health: Answered; host: Answered }) => {
  const { certificates_due, backups, version } = health
  return (
    <>
      <Line view={view} to="/host">
        <Services host={host} />
      </Line>
      <Queue mail={host?.machine?.queued_mail} />
      <Line view={view} to="/ssl">
        {certificates_due === 0 ? (
          <Chip status="ok" word="No certificate is due" />
        ) : (
          <Chip status="expiring" word={t('Certificates due: {count}', { count: count(certificates_due) })} />
        )}
      </Line>
      <Line view={view} to="/backups">
        <Chip status={backups.failed > 0 ? 'failed' : backups.last_at ? 'ok' : 'off'} word="Last backup" />{' '}
        {backups.last_at ? <Time at={backups.last_at} now={view.now} /> : t('None yet')}
      </Line>
      <span>
        panel <Code text={version} />
      </span>
    </>
  )
}

const Line = ({ view, to, children }: { view: ViewContext; to: string; children?: Child }) =>
  view.has(to) ? <a href={view.href(to)}>{children}</a> : <span>{children}</span>

/** More than these in the queue is unusual for a server of customers: a blocked way out, or somebody sends spam. */
const LONG_QUEUE = 500

const Queue = ({ mail }: { mail: number | undefined }) =>
  mail === undefined ? null : (
    <span>
      <Chip status={mail > LONG_QUEUE ? 'expiring' : 'ok'} word={t('Mail queue: {count}', { count: count(mail) })} />
    </span>
  )

/** Only those that do not run are named. */
const Services = ({ host }: { host: Answered }) => {
  const down = (host?.machine?.services ?? []).filter(
    ({ state }: Answered) => state !== undefined && state !== 'active',
  )
  if (host?.agent.status === 'unreachable') return <Chip status="failed" word="The host agent does not answer" />
  if (host?.driver === 'directory') return <Chip status="off" word="Trial: no services" />
  if (down.length === 0) return <Chip status="ok" word="Services run" />
  const names = down.map(({ name }: Answered) => name).join(', ')
  return <Chip status="failed" word={t('Not running: {names}', { names })} />
}

/** A reseller's limits in total. */
export const Limits = ({ of }: { of: Answered }) =>
  of ? (
    <section class="card meters" aria-label={t('Your limits')}>
      <Meter label={t('Accounts')} used={of.account_count} limit={of.max_accounts} say={count} />
      <Meter label={t('Disk granted')} used={of.disk_granted_mb} limit={of.max_disk_mb} say={limitMegabytes} />
      <Meter label={t('Traffic granted')} used={of.bw_granted_mb} limit={of.max_bw_mb} say={limitMegabytes} />
    </section>
  ) : null
