import { LinkButton } from '../../../web/kit/button.tsx'
import { type Fact, FactList } from '../../../web/kit/facts.tsx'
import { ButtonForm, Trouble } from '../../../web/kit/form.tsx'
import { bytes, span } from '../../../web/kit/format.ts'
import { followedJob, isOver } from '../../../web/kit/job.ts'
import { Machine } from '../../../web/kit/machine.tsx'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Steps } from '../../../web/kit/steps.tsx'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'
import { isKept, liveAmong, Releases, RollBack, words } from './releases.tsx'

/** A deploy: its steps, its log, and the release that serves until it is done. */
export function releasePage(visit: Visit): Shown {
  const { release } = visit.data
  const { log, live } = followedJob(visit, {
    log: visit.data.log,
    goesOn: goesOn(visit),
    hasSteps: true,
    aside: <LinkButton href={`${visit.path}?format=log`} label="Download log" download="" />,
  })
  const parts = {
    steps: <Progress visit={visit} />,
    facts: <Facts visit={visit} />,
    releases: <Others visit={visit} />,
  }
  return {
    title: t('Release {number}', release),
    status: words[release.status] ?? release.status,
    lead: leadOf(visit),
    actions: <Actions visit={visit} />,
    live,
    parts,
    body: (
      <div class="two">
        <div class="stack">
          <Trouble of={visit.form('rollbackApp')?.refusal} />
          {parts.steps}
          {log}
        </div>
        <div class="stack">
          {parts.facts}
          {parts.releases}
        </div>
      </div>
    ),
  }
}

const jobOf = ({ also }: Visit): Answered => also['job']?.job
const goesOn = (visit: Visit): boolean => jobOf(visit) !== undefined && !isOver(jobOf(visit))

function leadOf(visit: Visit): string | undefined {
  const { release } = visit.data
  if (release.error !== undefined) return release.error
  if (release.status === 'live') return t('This release serves visitors.')
  if (!goesOn(visit)) return undefined
  const live = liveAmong(visit.also['releases']?.items)
  return live === undefined
    ? t('Nothing is served until it passes its check.')
    : t('Release {number} serves visitors until this one passes its check.', live)
}

const Actions = ({ visit }: { visit: Visit }) => {
  const { release } = visit.data
  return (
    <>
      {goesOn(visit) ? (
        <>
          <LinkButton href={visit.path} label="Refresh" />
          <ButtonForm of={visit.form('cancelJobForAccount', { item: release.job_id })} look="danger" />
        </>
      ) : null}
      {isKept(release) ? <RollBack visit={visit} release={release} /> : null}
    </>
  )
}

const Progress = ({ visit }: { visit: Visit }) => (
  <div class="card" id="steps">
    {jobOf(visit) ? <Steps of={jobOf(visit)} now={visit.now} /> : null}
  </div>
)

const Facts = ({ visit }: { visit: Visit }) => {
  const { data, also, now } = visit
  const { source, ref, commit, created_at, size_bytes } = data.release
  const { app } = also
  const job = jobOf(visit)
  return (
    <Card title="Release" id="facts">
      <FactList
        of={[
          [t('Source'), source === 'archive' ? t('Archive') : <Machine text={ref ?? app?.git_url ?? 'git'} />],
          commit && [t('Commit'), <Machine text={commit.slice(0, 12)} />],
          [t('Started'), <Time at={created_at} now={now} />],
          job?.started_at && tookOf(job, now),
          size_bytes !== undefined && [t('Size'), bytes(size_bytes)],
          app && [t('Check'), <Machine text={`GET ${app.health_path} · ${app.health_timeout_s} s`} />],
        ]}
      />
    </Card>
  )
}

const tookOf = ({ started_at, finished_at }: Answered, now: number): Fact => [
  finished_at === undefined ? t('Took so far') : t('Took'),
  <time>{span((finished_at ?? now) - started_at)}</time>,
]

const Others = ({ visit }: { visit: Visit }) => (
  <Card title="Releases" id="releases">
    <Releases visit={visit} items={visit.also['releases']?.items ?? []} />
  </Card>
)
