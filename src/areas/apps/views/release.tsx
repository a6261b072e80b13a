import { LinkButton } from '../../../web/kit/button.tsx'
import { type Fact, FactList } from '../../../web/kit/facts.tsx'
import { ButtonForm, Trouble } from '../../../web/kit/form.tsx'
import { bytes, span } from '../../../web/kit/format.ts'
import { cursorOf, isOver, linesOf } from '../../../web/kit/job.ts'
import { following, Log } from '../../../web/kit/log.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Steps } from '../../../web/kit/steps.tsx'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'
import { isKept, liveAmong, Releases, RollBack, words } from './releases.tsx'

/** A deploy: what it goes through, what it writes, and what serves until it is done. */
export function releasePage(visit: Visit): Shown {
  const { release, log } = visit.data
  const { job } = visit.also['job'] ?? {}
  const lines = linesOf(log)
  const goesOn = job !== undefined && !isOver(job)
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
    live: following({ visit, lines, cursor: cursorOf(log), goesOn }),
    parts,
    body: (
      <div class="two">
        <div class="stack">
          <Trouble of={visit.form('rollbackApp')?.refusal} />
          {parts.steps}
          <Log
            lines={lines}
            empty="Nothing was written yet."
            hasSteps
            goesOn={goesOn}
            aside={<Download visit={visit} />}
          />
        </div>
        <div class="stack">
          {parts.facts}
          {parts.releases}
        </div>
      </div>
    ),
  }
}

function leadOf({ data: { release }, also }: Visit): string | undefined {
  const { job } = also['job'] ?? {}
  if (release.error !== undefined) return release.error
  if (release.status === 'live') return t('This release serves visitors.')
  const live = liveAmong(also['releases']?.items)
  if (!job || isOver(job)) return undefined
  return live === undefined
    ? t('Nothing is served until it passes its check.')
    : t('Release {number} serves visitors until this one passes its check.', live)
}

const Actions = ({ visit }: { visit: Visit }) => {
  const { data, also, path } = visit
  const { job } = also['job'] ?? {}
  const goesOn = job !== undefined && !isOver(job)
  const cancel = goesOn ? visit.form('cancelJobForAccount', { item: data.release.job_id }) : undefined
  return (
    <>
      {goesOn ? <LinkButton href={path} label="Refresh" /> : null}
      <ButtonForm of={cancel} look="danger" />
      {isKept(data.release) ? <RollBack visit={visit} release={data.release} /> : null}
    </>
  )
}

const Download = ({ visit }: { visit: Visit }) => (
  <LinkButton href={`${visit.path}?format=log`} label="Download log" download="" />
)

const Progress = ({ visit: { also, now } }: { visit: Visit }) => (
  <div class="card" id="steps">
    {also['job'] ? <Steps of={also['job'].job} now={now} /> : null}
  </div>
)

const Facts = ({ visit: { data, also, now } }: { visit: Visit }) => {
  const { source, ref, commit, created_at, size_bytes } = data.release
  const { app } = also
  const { job } = also['job'] ?? {}
  return (
    <Card title={t('Release')} id="facts">
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
  <Card title={t('Releases')} id="releases">
    <Releases visit={visit} items={visit.also['releases']?.items ?? []} />
  </Card>
)
