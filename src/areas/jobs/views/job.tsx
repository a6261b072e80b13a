import { isId } from '../../../contract/common.ts'
import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Json } from '../../../web/kit/components/json.tsx'
import { Steps } from '../../../web/kit/components/steps.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { jobInWords } from '../../../web/kit/i18n/job-words.ts'
import { followedJob, isOver } from '../../../web/kit/job.ts'
import { Buttons, Facts } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** A job: what it does, its progress, and its log. */
export function jobPage(view: ViewContext): PageView {
  const { job } = view.data
  const { log, live } = followedJob(view, { log: view.data.log, continues: !isOver(job) })
  return {
    title: [t(jobInWords(job.kind)), ...namesIn(job.payload)].join(' '),
    status: job.status,
    lead: job.error,
    actions: (
      <>
        {isOver(job) ? null : <LinkButton href={view.path} label="Refresh" />}
        <Buttons view={view} />
      </>
    ),
    live,
    parts: { steps: <Progress of={job} now={view.now} /> },
    body: (
      <>
        <Progress of={job} now={view.now} />
        {log}
        <Facts view={view} of={job} hidden={hidden} />
        <Json of={job} />
      </>
    ),
  }
}

/** What a job does, and to what: names of objects, not their ids. */
export const Work = ({ kind, payload = {} }: { kind: string; payload?: Readonly<Record<string, string>> }) => {
  const names = namesIn(payload)
  return (
    <>
      {t(jobInWords(kind))} {names.length > 0 ? <Code text={names.join(' ')} /> : null}
    </>
  )
}

const namesIn = (payload: Readonly<Record<string, string>> = {}): string[] =>
  Object.values(payload).filter((name) => !isId(name) && name.length <= MAX_NAME_LENGTH)

const MAX_NAME_LENGTH = 64

const hidden = ['payload', 'kind', 'max_attempts', 'error', 'step', 'steps', 'step_times', 'progress_pct']

const Progress = ({ of, now }: { of: Answered; now: number }) => (
  <div class="card" id="steps">
    <Steps of={of} now={now} />
    {isOver(of) ? null : <p class="pad soft">{t('{percent} % done', { percent: of.progress_pct })}</p>}
  </div>
)
