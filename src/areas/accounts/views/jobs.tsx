import { Chip } from '../../../web/kit/components/chip.tsx'
import { ListCard } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { jobInWords } from '../../../web/kit/i18n/job-words.ts'
import type { Answered, ViewContext } from '../../../web/kit/screen.ts'

/** The newest jobs, each linked to its page. */
export const Jobs = ({ view, jobs, title }: { view: ViewContext; jobs: Answered; title: string }) => (
  <ListCard
    title={title}
    extra={<a href={view.href('/jobs')}>{t('All')}</a>}
    items={(jobs?.items ?? []).map((job: Answered) => (
      <>
        <span>
          <span class="soft">
            <Time at={job.created_at} now={view.now} />
          </span>{' '}
          <a href={view.href('/jobs/{id}', job)}>{t(jobInWords(job.kind))}</a>
        </span>
        <Chip status={job.status} />
      </>
    ))}
  />
)
