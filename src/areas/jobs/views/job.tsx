import { LinkButton } from '../../../web/kit/button.tsx'
import { ButtonForm } from '../../../web/kit/form.tsx'
import { cursorOf, isOver, linesOf } from '../../../web/kit/job.ts'
import { jobInWords } from '../../../web/kit/job-words.ts'
import { Json } from '../../../web/kit/json.tsx'
import { following, Log } from '../../../web/kit/log.tsx'
import { Facts } from '../../../web/kit/object.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Steps } from '../../../web/kit/steps.tsx'
import { t } from '../../../web/kit/text.ts'

/** What a job does, how far it is, and what it wrote. */
export function jobPage(visit: Visit): Shown {
  const { job, log } = visit.data
  const lines = linesOf(log)
  return {
    title: t(jobInWords(job.kind)),
    status: job.status,
    lead: job.error,
    actions: <Actions visit={visit} status={job.status} />,
    live: following({ visit, lines, cursor: cursorOf(log), goesOn: !isOver(job) }),
    parts: { steps: <Progress of={job} now={visit.now} /> },
    body: (
      <>
        <Progress of={job} now={visit.now} />
        <Log lines={lines} empty="Nothing was written yet." goesOn={!isOver(job)} />
        <Facts visit={visit} of={job} hidden={hidden} />
        <Json of={job} />
      </>
    ),
  }
}

const hidden = ['payload', 'error', 'step', 'steps', 'step_times', 'progress_pct']

const Progress = ({ of, now }: { of: Answered; now: number }) => (
  <div class="card" id="steps">
    <Steps of={of} now={now} />
    {isOver(of) ? null : <p class="pad soft">{t('{percent} % done', { percent: of.progress_pct })}</p>}
  </div>
)

const Actions = ({ visit, status }: { visit: Visit; status: string }) => {
  const [cancel, retry] =
    visit.screen.of === 'server'
      ? (['cancelJob', 'retryJob'] as const)
      : (['cancelJobForAccount', 'retryJobForAccount'] as const)
  const running = !isOver({ status })
  const form = running ? visit.form(cancel) : status === 'failed' ? visit.form(retry) : undefined
  return (
    <>
      {running ? <LinkButton href={visit.path} label="Refresh" /> : null}
      <ButtonForm of={form} />
    </>
  )
}
