import { Chip } from '../../../web/kit/chip.tsx'
import { jobInWords } from '../../../web/kit/job-words.ts'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'

/** The newest jobs, each on the way to its own page. */
export const Jobs = ({ visit, jobs, title }: { visit: Visit; jobs: Answered; title: string }) =>
  jobs && jobs.items.length > 0 ? (
    <Card title={t(title)} aside={visit.has('/jobs') ? <a href={visit.href('/jobs')}>{t('All')}</a> : null}>
      <ul class="list">
        {jobs.items.map((job: Answered) => (
          <li>
            <span>
              <span class="soft">
                <Time at={job.created_at} now={visit.now} />
              </span>{' '}
              {visit.has('/jobs/{job}') ? (
                <a href={visit.href('/jobs/{id}', job)}>{t(jobInWords(job.kind))}</a>
              ) : (
                t(jobInWords(job.kind))
              )}
            </span>
            <Chip status={job.status} />
          </li>
        ))}
      </ul>
    </Card>
  ) : null
