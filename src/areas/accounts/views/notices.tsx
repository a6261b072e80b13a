import { ListCard } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { hrefTo } from '../../../web/kit/format/href.ts'
import { shapes } from '../../../web/kit/format/status.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { jobInWords } from '../../../web/kit/i18n/job-words.ts'
import { lookupOwn } from '../../../web/kit/lookup.ts'
import type { Answered, ViewContext } from '../../../web/kit/screen.ts'

const tones = { error: 'bad', warn: 'warn' } as const

/** What needs attention; nothing if all is well. */
export const Notices = ({ view }: { view: ViewContext }) => (
  <ListCard
    title="Needs attention"
    extra={<a href={view.href('/notices')}>{t('Show all')}</a>}
    items={(view.sections['notices']?.items ?? []).map((notice: Answered) => <Line notice={notice} view={view} />)}
  />
)

/** Where each kind of thing is looked at, below its account if it has one. */
const places: Readonly<Record<string, string>> = {
  account: '/',
  app: '/apps/{name}',
  backup: '/backups/{object_id}',
  certificate: '/ssl',
  cron_job: '/cron/{object_id}',
  domain: '/domains/{name}',
  mailbox: '/email/{name}',
  webhook: '/webhooks/{object_id}',
}

/** A job's log, or the page of the notice's object. */
function placeOf({ object, object_id, name, username }: Answered, { panel, base }: ViewContext): string {
  if (object === 'job') return `/${panel}/jobs/${object_id}`
  const own = panel === 'admin' && username ? hrefTo('/admin', '/accounts/{username}', { username }) : base
  return hrefTo(own, lookupOwn(places, object) ?? '/notices', { name, object_id })
}

/** What is said of a thing, whose name stands before it already. */
const withoutSubject = (detail: string, name: string): string =>
  detail.startsWith(`${name} `) ? detail.slice(name.length + 1) : detail

const Line = ({ notice, view }: { notice: Answered; view: ViewContext }) => {
  const { severity, object, name, detail, since, username } = notice
  const tone = tones[severity as keyof typeof tones]
  return (
    <>
      <span>
        <i aria-hidden="true" class={tone}>
          {shapes[tone]}
        </i>{' '}
        <a href={placeOf(notice, view)}>
          <b>
            <bdi>{object === 'job' ? t(jobInWords(name)) : name}</bdi>
          </b>
        </a>{' '}
        <bdi>{withoutSubject(detail, name)}</bdi>{' '}
        {username && view.panel === 'admin' ? <bdi class="soft">{username}</bdi> : null}
      </span>
      <span class="soft">
        <Time at={since} now={view.now} />
      </span>
    </>
  )
}
