import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { type Fact, FactList } from '../../../web/kit/components/description-list.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { Steps } from '../../../web/kit/components/steps.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { bytes, span } from '../../../web/kit/format/format.ts'
import { ButtonForm, FormError } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { followedJob, isOver } from '../../../web/kit/job.ts'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { isRetained, liveAmong, Releases, RollBack, words } from './releases.tsx'

/** A deploy: its steps, its log, and the release that serves until it is done. */
export function releasePage(view: ViewContext): PageView {
  const { release } = view.data
  const { log, live } = followedJob(view, {
    log: view.data.log,
    continues: goesOn(view),
    hasSteps: true,
    extra: <LinkButton href={`${view.path}?format=log`} label="Download log" download="" />,
  })
  const parts = {
    steps: <Progress view={view} />,
    facts: <Facts view={view} />,
    releases: <Others view={view} />,
  }
  return {
    title: t('Release {number}', release),
    status: words[release.status] ?? release.status,
    lead: leadOf(view),
    actions: <Actions view={view} />,
    live,
    parts,
    body: (
      <div class="two">
        <div class="stack">
          <FormError of={view.form('rollbackApp')?.refusal} />
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

const jobOf = ({ sections }: ViewContext): Answered => sections['job']?.job
const goesOn = (view: ViewContext): boolean => jobOf(view) !== undefined && !isOver(jobOf(view))

function leadOf(view: ViewContext): string | undefined {
  const { release } = view.data
  if (release.error !== undefined) return release.error
  if (release.status === 'live' && !release.urls?.length) return t('This release is live, and no domain shows it yet.')
  if (release.status === 'live') return t('This release serves visitors.')
  if (!goesOn(view)) return undefined
  const live = liveAmong(view.sections['releases']?.items)
  return live === undefined
    ? t('Nothing is served until it passes its check.')
    : t('Release {number} serves visitors until this one passes its check.', live)
}

const Actions = ({ view }: { view: ViewContext }) => {
  const { release } = view.data
  return (
    <>
      {goesOn(view) ? (
        <>
          <LinkButton href={view.path} label="Refresh" />
          <ButtonForm of={view.form('cancelJobForAccount', { item: release.job_id })} look="danger" />
        </>
      ) : null}
      {release.status === 'live' && release.urls?.[0] ? (
        <LinkButton href={release.urls[0]} label="Open site" icon="out" rel="noreferrer noopener" />
      ) : null}
      {isRetained(release) ? <RollBack view={view} release={release} /> : null}
    </>
  )
}

const Progress = ({ view }: { view: ViewContext }) => (
  <div class="card" id="steps">
    {jobOf(view) ? <Steps of={jobOf(view)} now={view.now} /> : null}
  </div>
)

const Facts = ({ view }: { view: ViewContext }) => {
  const { data, sections, now } = view
  const { source, ref, commit, created_at, size_bytes, warnings } = data.release
  const { app } = sections
  const job = jobOf(view)
  return (
    <Card title="Release" id="facts">
      <FactList
        of={[
          [t('Source'), source === 'archive' ? t('Archive') : <Code text={ref ?? app?.git_url ?? 'git'} />],
          commit && [t('Commit'), <Code text={commit.slice(0, 12)} />],
          [t('Started'), <Time at={created_at} now={now} />],
          job?.started_at && tookOf(job, now),
          size_bytes !== undefined && [t('Size'), bytes(size_bytes)],
          warnings && [t('Warnings'), warnings.join(' ')],
          app && [t('Check'), <Code text={`GET ${app.health_path} · ${app.health_timeout_s} s`} />],
        ]}
      />
    </Card>
  )
}

const tookOf = ({ started_at, finished_at }: Answered, now: number): Fact => [
  finished_at === undefined ? t('Took so far') : t('Took'),
  <time>{span((finished_at ?? now) - started_at)}</time>,
]

const Others = ({ view }: { view: ViewContext }) => (
  <Card title="Releases" id="releases">
    <Releases view={view} items={view.sections['releases']?.items ?? []} />
  </Card>
)
