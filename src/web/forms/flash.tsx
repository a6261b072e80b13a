import { seen } from '../../shared/command-line/quote.ts'
import { Chip } from '../kit/components/chip.tsx'
import { namesIn } from '../kit/format/href.ts'
import { addressOf, refreshed } from '../kit/format/query.ts'
import { ButtonForm } from '../kit/forms/form.tsx'
import { t } from '../kit/i18n/i18n.ts'
import { worded } from '../kit/i18n/label.ts'
import { isOver, isRetryable } from '../kit/job.ts'
import { sideOf } from '../kit/page-scope.ts'
import type { Answered, Done, Live, UndoAction, ViewContext } from '../kit/screen.ts'

const tones: Readonly<Record<string, string>> = { succeeded: 'good', failed: 'bad', cancelled: 'warn' }

/** Says what was just done, and the state of its job. */
export const Flash = ({ done, view }: { done: Done; view: ViewContext }) => (
  <div class={`notice ${done.job ? (tones[done.job.job.status] ?? 'turning') : ''}`} role="status" id="done">
    <b>{t(done.text)}</b>
    {done.job ? <Strip answered={done.job} view={view} /> : null}
    {done.back ? <TakeBack back={done.back} fieldsToUndo={done.undo} view={view} /> : null}
  </div>
)

/** Offers an undo if there is one, on this page or another. */
const TakeBack = ({
  back,
  fieldsToUndo,
  view,
}: {
  back: UndoAction
  fieldsToUndo: URLSearchParams | undefined
  view: ViewContext
}) => {
  const { op, at, fields = [] } = back
  const form = view.form(op)
  const isLost = fieldsToUndo === undefined && namesIn(at ?? '').length + fields.length > 0
  if (!form || isLost || view.screen.acts?.[op]?.when?.(view) === false) return null
  const action = at === undefined ? form.action : view.href(at, Object.fromEntries(fieldsToUndo ?? []))
  return (
    <ButtonForm of={{ ...form, action }} label="Undo">
      {fields.map((name) => (
        <input type="hidden" name={name} value={fieldsToUndo?.get(name) ?? ''} />
      ))}
    </ButtonForm>
  )
}

/** Whether a job is still carrying it out. */
export const isInProgress = (done: Done | undefined): boolean => done?.job !== undefined && !isOver(done.job.job)

/** Where a script follows the page's updates, and from which point. */
export const Followed = ({ view: { panel, path, query }, live }: { view: ViewContext; live: Live | undefined }) => (
  <i
    hidden
    data-live={addressOf(`/${panel}/live${path.slice(panel.length + 1)}`, query)}
    data-after={live?.lines?.after}
    data-stale={live?.lines ? undefined : ''}
  />
)

const onOneLine = (text: string): string => seen(text.replace(/[\t\n]+/g, ' '))

/** The job's page retries it, and follows it. */
const TryAgain = ({ job, view }: { job: Answered; view: ViewContext }) => {
  const form = view.form(sideOf(view.screen) === 'account' ? 'retryJobForAccount' : 'retryJob')
  return form ? <ButtonForm of={{ ...form, action: view.href('/jobs/{id}', job) }} label="Try again" /> : null
}

const Strip = ({ answered: { job, log }, view }: { answered: Answered; view: ViewContext }) => (
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
    <a href={view.href('/jobs/{id}', job)}>{t('Details')}</a>
    {isRetryable(job) ? <TryAgain job={job} view={view} /> : null}
    {isOver(job) ? null : <a href={refreshed(view)}>{t('Refresh')}</a>}
  </>
)
