import { ListCard } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { shapes } from '../../../web/kit/format/status.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { jobInWords } from '../../../web/kit/i18n/job-words.ts'
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

const Line = ({ notice, view }: { notice: Answered; view: ViewContext }) => {
  const { severity, object, name, detail, since, username } = notice
  const tone = tones[severity as keyof typeof tones]
  return (
    <>
      <span>
        <i aria-hidden="true" class={tone}>
          {shapes[tone]}
        </i>{' '}
        <b>
          <bdi>{object === 'job' ? t(jobInWords(name)) : name}</bdi>
        </b>{' '}
        <bdi>{detail}</bdi> {username && view.panel === 'admin' ? <bdi class="soft">{username}</bdi> : null}
      </span>
      <span class="soft">
        <Time at={since} now={view.now} />
      </span>
    </>
  )
}
