import { seen } from '../shared/say/quote.ts'
import { Chip } from './kit/chip.tsx'
import { ButtonForm } from './kit/form.tsx'
import { namesIn } from './kit/href.ts'
import { isOver } from './kit/job.ts'
import { worded } from './kit/label.ts'
import { addressOf, refreshed } from './kit/query.ts'
import type { Answered, Back, Done, Live, Visit } from './kit/screen.ts'
import { sideOf } from './kit/side.ts'
import { t } from './kit/text.ts'

const tones: Readonly<Record<string, string>> = { succeeded: 'good', failed: 'bad', cancelled: 'warn' }

/** Says what was just done, and the state of its job. */
export const Finished = ({ done, visit }: { done: Done; visit: Visit }) => (
  <div class={`notice ${done.job ? (tones[done.job.job.status] ?? 'turning') : ''}`} role="status" id="done">
    <b>{t(done.text)}</b>
    {done.job ? <Strip answered={done.job} visit={visit} /> : null}
    {done.back ? <TakeBack back={done.back} told={done.undo} visit={visit} /> : null}
  </div>
)

/** Offers an undo if there is one, on this page or another. */
const TakeBack = ({ back, told, visit }: { back: Back; told: URLSearchParams | undefined; visit: Visit }) => {
  const { op, at, told: fields = [] } = back
  const form = visit.form(op)
  const isLost = told === undefined && namesIn(at ?? '').length + fields.length > 0
  if (!form || isLost || visit.screen.acts?.[op]?.when?.(visit) === false) return null
  const action = at === undefined ? form.action : visit.href(at, Object.fromEntries(told ?? []))
  return (
    <ButtonForm of={{ ...form, action }} label="Undo">
      {fields.map((name) => (
        <input type="hidden" name={name} value={told?.get(name) ?? ''} />
      ))}
    </ButtonForm>
  )
}

/** Whether a job is still carrying it out. */
export const isUnderWay = (done: Done | undefined): boolean => done?.job !== undefined && !isOver(done.job.job)

/** Where a script follows the page's updates, and from which point. */
export const Followed = ({ visit: { panel, path, query }, live }: { visit: Visit; live: Live | undefined }) => (
  <i
    hidden
    data-live={addressOf(`/${panel}/live${path.slice(panel.length + 1)}`, query)}
    data-after={live?.lines?.after}
  />
)

const onOneLine = (text: string): string => seen(text.replace(/[\t\n]+/g, ' '))

/** The job's page retries it, and follows it. */
const TryAgain = ({ job, visit }: { job: Answered; visit: Visit }) => {
  const form = visit.form(sideOf(visit.screen) === 'account' ? 'retryJobForAccount' : 'retryJob')
  return form ? <ButtonForm of={{ ...form, action: visit.href('/jobs/{id}', job) }} label="Try again" /> : null
}

const Strip = ({ answered: { job, log }, visit }: { answered: Answered; visit: Visit }) => (
  <>
    <Chip status={job.status} />
    {isOver(job) ? null : (
      <span>{[...(job.step ? [t(worded(job.step))] : []), `${job.progress_pct} %`].join(', ')}</span>
    )}
    {job.error ? (
      <span>{onOneLine(job.error)}</span>
    ) : (
      <span class="soft">{onOneLine(log?.at(-1)?.message ?? '')}</span>
    )}
    <a href={visit.href('/jobs/{id}', job)}>{t('Details')}</a>
    {job.status === 'failed' ? <TryAgain job={job} visit={visit} /> : null}
    {isOver(job) ? null : <a href={refreshed(visit)}>{t('Refresh')}</a>}
  </>
)
