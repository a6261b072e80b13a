import { Chip } from '../../../web/kit/chip.tsx'
import { jobInWords } from '../../../web/kit/job-words.ts'
import { ListCard } from '../../../web/kit/page.tsx'
import type { Answered, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'

/** The newest jobs, each linked to its page. */
export const Jobs = ({ visit, jobs, title }: { visit: Visit; jobs: Answered; title: string }) => (
  <ListCard
    title={title}
    aside={<a href={visit.href('/jobs')}>{t('All')}</a>}
    items={(jobs?.items ?? []).map((job: Answered) => (
      <>
        <span>
          <span class="soft">
            <Time at={job.created_at} now={visit.now} />
          </span>{' '}
          <a href={visit.href('/jobs/{id}', job)}>{t(jobInWords(job.kind))}</a>
        </span>
        <Chip status={job.status} />
      </>
    ))}
  />
)
