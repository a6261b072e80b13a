import { Chip } from '../../../web/kit/components/chip.tsx'
import { ListCard } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { count } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { jobInWords } from '../../../web/kit/i18n/job-words.ts'
import type { Answered, ViewContext } from '../../../web/kit/screen.ts'

/** The newest jobs, each linked to its page; those of one kind in a row are one line. */
export const Jobs = ({ view, jobs, title }: { view: ViewContext; jobs: Answered; title: string }) => (
  <ListCard
    title={title}
    extra={<a href={view.href('/jobs')}>{t('All')}</a>}
    items={gathered(jobs?.items ?? [])
      .slice(0, MAX_LINES)
      .map(([job, ...others]) => (
        <>
          <span>
            <a href={view.href('/jobs/{id}', job)}>{t(jobInWords(job.kind))}</a>
            <small>
              {' '}
              {others.length > 0 ? t('and {count} more', { count: count(others.length) }) : <bdi>{job.username}</bdi>}
              {' · '}
              <Time at={job.created_at} now={view.now} />
            </small>
          </span>
          <Chip status={job.status} />
        </>
      ))}
  />
)

const MAX_LINES = 6

/** Runs of jobs of the same kind and status: each new account brings one of the system's own. */
function gathered(jobs: readonly Answered[]): readonly Answered[][] {
  const runs: Answered[][] = []
  for (const job of jobs) {
    const first = runs.at(-1)?.[0]
    if (first?.kind === job.kind && first.status === job.status) runs.at(-1)!.push(job)
    else runs.push([job])
  }
  return runs
}
