import { LinkButton } from '../../../web/kit/button.tsx'
import { followedJob, isOver } from '../../../web/kit/job.ts'
import { jobInWords } from '../../../web/kit/job-words.ts'
import { Json } from '../../../web/kit/json.tsx'
import { Buttons, Facts } from '../../../web/kit/object.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Steps } from '../../../web/kit/steps.tsx'
import { t } from '../../../web/kit/text.ts'

/** A job: what it does, its progress, and its log. */
export function jobPage(visit: Visit): Shown {
  const { job } = visit.data
  const { log, live } = followedJob(visit, { log: visit.data.log, goesOn: !isOver(job) })
  return {
    title: t(jobInWords(job.kind)),
    status: job.status,
    lead: job.error,
    actions: (
      <>
        {isOver(job) ? null : <LinkButton href={visit.path} label="Refresh" />}
        <Buttons visit={visit} />
      </>
    ),
    live,
    parts: { steps: <Progress of={job} now={visit.now} /> },
    body: (
      <>
        <Progress of={job} now={visit.now} />
        {log}
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
