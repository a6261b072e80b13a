import { jobInWords } from '../../../web/kit/job-words.ts'
import { ListCard } from '../../../web/kit/page.tsx'
import type { Answered, Visit } from '../../../web/kit/screen.ts'
import { shapes } from '../../../web/kit/status.ts'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'

const tones = { error: 'bad', warn: 'warn' } as const

/** What needs attention; nothing if all is well. */
export const Notices = ({ visit }: { visit: Visit }) => (
  <ListCard
    title="Needs attention"
    aside={<a href={visit.href('/notices')}>{t('Show all')}</a>}
    items={(visit.also['notices']?.items ?? []).map((notice: Answered) => <Line notice={notice} visit={visit} />)}
  />
)

const Line = ({ notice, visit }: { notice: Answered; visit: Visit }) => {
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
        <bdi>{detail}</bdi> {username && visit.panel === 'admin' ? <bdi class="soft">{username}</bdi> : null}
      </span>
      <span class="soft">
        <Time at={since} now={visit.now} />
      </span>
    </>
  )
}
