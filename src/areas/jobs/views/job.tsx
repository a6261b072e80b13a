import { ButtonForm } from '../../../web/kit/form.tsx'
import { exact } from '../../../web/kit/format.ts'
import { Json } from '../../../web/kit/json.tsx'
import { Facts } from '../../../web/kit/object.tsx'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** What a job does, how far it is, and what it wrote. */
export function jobPage(visit: Visit): Shown {
  const { job, log } = visit.data
  return {
    title: job.kind,
    machine: true,
    status: job.status,
    lead: job.error,
    actions: <Actions visit={visit} status={job.status} />,
    body: (
      <>
        <Facts visit={visit} of={job} hidden={['payload', 'error']} />
        <Log log={log} />
        <Json of={job} />
      </>
    ),
  }
}

const running: readonly string[] = ['queued', 'leased', 'running']

const Actions = ({ visit, status }: { visit: Visit; status: string }) => {
  const [cancel, retry] =
    visit.screen.of === 'server'
      ? (['cancelJob', 'retryJob'] as const)
      : (['cancelJobForAccount', 'retryJobForAccount'] as const)
  const form = running.includes(status) ? visit.form(cancel) : status === 'failed' ? visit.form(retry) : undefined
  return (
    <>
      {running.includes(status) ? (
        <a class="button" href={visit.path}>
          {t('Refresh')}
        </a>
      ) : null}
      {form ? <ButtonForm of={form} /> : null}
    </>
  )
}

const Log = ({ log }: { log: readonly Answered[] }) => (
  <Card title={t('Log')}>
    {log.length === 0 ? (
      <p class="pad soft">{t('Nothing was written yet.')}</p>
    ) : (
      <pre class="log" role="log" dir="ltr" tabindex={0} aria-label={t('Log')}>
        {log.map(({ at, level, message }) => `${exact(at)}  ${level}  ${message}\n`).join('')}
      </pre>
    )}
  </Card>
)
