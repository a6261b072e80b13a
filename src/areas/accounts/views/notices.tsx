import { jobInWords } from '../../../web/kit/job-words.ts'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Visit } from '../../../web/kit/screen.ts'
import { shapes } from '../../../web/kit/status.ts'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'

const tones = { error: 'bad', warn: 'warn' } as const

/** What needs attention; absent where nothing does. */
export const Notices = ({ visit, items }: { visit: Visit; items: readonly Answered[] | undefined }) =>
  items && items.length > 0 ? (
    <Card title={t('Needs attention')} aside={<a href={visit.href('/notices')}>{t('Show all')}</a>}>
      <ul class="list">
        {items.map(({ severity, object, name, detail, since, username }) => (
          <li>
            <span>
              <i aria-hidden="true" class={tones[severity as 'error' | 'warn']}>
                {shapes[tones[severity as 'error' | 'warn']]}
              </i>{' '}
              <b>
                <bdi>{object === 'job' ? t(jobInWords(name)) : name}</bdi>
              </b>{' '}
              <bdi>{detail}</bdi> {username && visit.panel === 'admin' ? <bdi class="soft">{username}</bdi> : null}
            </span>
            <span class="soft">
              <Time at={since} now={visit.now} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  ) : null
