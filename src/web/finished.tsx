import { Chip } from './kit/chip.tsx'
import type { Answered, Done, Visit } from './kit/screen.ts'
import { t } from './kit/text.ts'

const tones: Readonly<Record<string, string>> = { succeeded: 'good', failed: 'bad', cancelled: 'warn' }

/** The line that says what was just done, and how far its job is. */
export const Finished = ({ done, visit }: { done: Done; visit: Visit }) => (
  <div
    class={`notice ${done.job ? (tones[done.job.job.status] ?? 'turning') : ''}`}
    role="status"
    id="done"
    {...(isUnderWay(done) && { 'data-live': liveAddress(visit) })}
  >
    <b>{t(done.text)}</b>
    {done.job ? <Strip answered={done.job} visit={visit} /> : null}
  </div>
)

const ended = new Set(['succeeded', 'failed', 'cancelled'])

/** Whether what was begun goes on in a job. */
export const isUnderWay = (done: Done | undefined): boolean =>
  done?.job !== undefined && !ended.has(done.job.job.status)

const liveAddress = ({ panel, path, query }: Visit): string =>
  `/${panel}/live${path.slice(panel.length + 1)}${query.size > 0 ? `?${query}` : ''}`

const Strip = ({ answered: { job, log }, visit }: { answered: Answered; visit: Visit }) => (
  <>
    <Chip status={job.status} />
    {ended.has(job.status) ? null : <span>{`${job.progress_pct} %`}</span>}
    {job.error ? <span>{job.error}</span> : <span class="soft">{log?.at(-1)?.message ?? ''}</span>}
    <a href={visit.href('/jobs/{id}', job)}>{t('Details')}</a>
    {ended.has(job.status) ? null : (
      <a href={`${visit.path}${visit.query.size > 0 ? `?${visit.query}` : ''}`}>{t('Refresh')}</a>
    )}
  </>
)
