import { placeOf, Severity, Subject, withoutSubject } from '../../../web/kit/attention.tsx'
import { prose } from '../../../web/kit/components/cell.tsx'
import { ListCard } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered, ViewContext } from '../../../web/kit/screen.ts'

/** What needs attention; nothing if all is well. */
export const Notices = ({ view }: { view: ViewContext }) => (
  <ListCard
    title="Needs attention"
    extra={<a href={view.href('/notices')}>{t('Show all')}</a>}
    items={(view.sections['notices']?.items ?? []).map((notice: Answered) => <Line notice={notice} view={view} />)}
  />
)

const Line = ({ notice, view }: { notice: Answered; view: ViewContext }) => {
  const { severity, since, username } = notice
  return (
    <>
      <span>
        <Severity of={severity} />{' '}
        <a href={placeOf(notice, view)}>
          <b>
            <Subject of={notice} />
          </b>
        </a>{' '}
        {prose(firstSentence(withoutSubject(notice)))}{' '}
        {username && view.panel === 'admin' ? <bdi class="soft">{username}</bdi> : null}
      </span>
      <span class="soft">
        <Time at={since} now={view.now} />
      </span>
    </>
  )
}

/** What to do about it is on the page that it links to. */
const firstSentence = (text: string): string => /^.+?[.!?](?= \p{Lu}|$)/u.exec(text)?.[0] ?? text
