import { LinkButton } from '../../../web/kit/button.tsx'
import { Cell } from '../../../web/kit/cell.tsx'
import { type Fact, FactList } from '../../../web/kit/facts.tsx'
import { FileForm } from '../../../web/kit/file-form.tsx'
import { Fold, FoldedForm } from '../../../web/kit/fold.tsx'
import { Trouble } from '../../../web/kit/form.tsx'
import { Log } from '../../../web/kit/log.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { Buttons, Endings } from '../../../web/kit/object.tsx'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { Time } from '../../../web/kit/time.tsx'
import { liveAmong, Releases } from './releases.tsx'

/** An app: its state, address, releases, environment and output. */
export function appPage(visit: Visit): Shown {
  const app = visit.data
  const parts = { state: <State visit={visit} />, releases: <Deployed visit={visit} /> }
  const goesOn = app.deploying_release_id !== undefined || app.status === 'starting'
  return {
    title: app.name,
    machine: true,
    status: app.status,
    tone: app.status === 'running' ? 'good' : undefined,
    lead: app.status_reason,
    actions: <Actions visit={visit} />,
    live: { goesOn },
    parts,
    body: (
      <>
        <Trouble of={visit.form('rollbackApp')?.refusal} />
        <div class="two">
          <div class="stack">
            {parts.releases}
            <Deploy visit={visit} />
            <Written visit={visit} />
            <Settings visit={visit} />
          </div>
          <div class="stack">
            {parts.state}
            <Environment visit={visit} />
          </div>
        </div>
        <Endings visit={visit} />
      </>
    ),
  }
}

const Actions = ({ visit }: { visit: Visit }) => (
  <>
    {visit.data.deploying_release_id === undefined ? null : <LinkButton href={visit.path} label="Refresh" />}
    <Buttons visit={visit} />
    {visit.may('deployApp') ? <LinkButton href="#deploy" label="Deploy" look="main" /> : null}
  </>
)

const State = ({ visit }: { visit: Visit }) => {
  const { data: app, also, now } = visit
  const live = liveAmong(also['releases']?.items)
  return (
    <Card title="App" id="state">
      <FactList
        of={[
          [t('Address'), <Addresses visit={visit} />],
          [t('Release'), live ? <a href={visit.href('/apps/{app}/releases/{number}', live)}>{live.number}</a> : '–'],
          ...factsOf(app).map(
            ([label, field]): Fact => [t(label), <Cell field={field} value={app[field]} now={now} />],
          ),
        ]}
      />
    </Card>
  )
}

const facts = [
  ['Kind', 'kind'],
  ['Repository', 'git_url'],
  ['Branch', 'git_branch'],
  ['Deploy key', 'deploy_key'],
  ['Install', 'install'],
  ['Build', 'build'],
  ['Start', 'start'],
  ['Root', 'root'],
  ['Port', 'port'],
] as const

const factsOf = (app: Answered) => facts.filter(([, field]) => app[field] !== undefined)

const Addresses = ({ visit: { data, also, href, has } }: { visit: Visit }) => {
  const shown: Answered[] = (also['domains']?.items ?? []).filter(({ id }: Answered) => data.domain_ids.includes(id))
  if (shown.length === 0)
    return (
      <>
        {t('No domain shows it yet.')} {has('/domains') ? <a href={href('/domains')}>{t('Domains')}</a> : null}
      </>
    )
  return (
    <ul class="plain-list">
      {shown.map(({ name }) => (
        <li>
          <a href={`https://${name}/`} rel="noreferrer noopener">
            <Machine text={name} />
          </a>
        </li>
      ))}
    </ul>
  )
}

const Deployed = ({ visit }: { visit: Visit }) => {
  const items: Answered[] = visit.also['releases']?.items ?? []
  return (
    <Card title="Releases" id="releases">
      {items.length === 0 ? (
        <p class="pad soft">{t('Nothing is deployed yet.')}</p>
      ) : (
        <Releases visit={visit} items={items} />
      )}
    </Card>
  )
}

/** For a repository, asks which ref to deploy; otherwise, for an archive. */
const Deploy = ({ visit }: { visit: Visit }) => {
  const form = visit.form('deployApp', { only: visit.data.git_url === undefined ? [] : ['ref'] })
  if (!form) return null
  const isFree = visit.data.deploying_release_id === undefined
  if (visit.data.git_url !== undefined) return <FoldedForm of={form} id="deploy" open={isFree} />
  return (
    <Fold title="Deploy" id="deploy" open={isFree || form.refusal !== undefined}>
      <FileForm
        of={form}
        accept=".zip,.tar,.gz,.tgz,.zst"
        help="An archive: zip, tar, tar.gz or tar.zst. Up to 64 MiB; larger ones: panel apps deploy --archive."
      />
    </Fold>
  )
}

const Settings = ({ visit }: { visit: Visit }) => (
  <FoldedForm of={visit.form('updateApp', { value: visit.data })} title="Settings" id="settings" />
)

/** The end of the app's output; a page of its own follows all of it. */
const Written = ({ visit }: { visit: Visit }) => {
  const { log } = visit.also
  if (!log) return null
  const all = <LinkButton href={visit.href('/apps/{app}/log')} label="Follow the log" />
  return <Log lines={log.items} empty="The app has written nothing." aside={all} />
}

const Environment = ({ visit }: { visit: Visit }) => {
  const { env } = visit.also
  if (!env) return null
  return (
    <Card title="Environment" aside={<a href={visit.href('/apps/{app}/env')}>{t('Change')}</a>}>
      {env.items.length === 0 ? (
        <p class="pad soft">{t('No variables.')}</p>
      ) : (
        <FactList
          of={env.items.map((one: Answered): Fact => [<Machine text={one.name} />, <Value of={one} now={visit.now} />])}
        />
      )}
    </Card>
  )
}

/** Secrets are never shown again. */
export const Value = ({ of: { secret, value, updated_at }, now }: { of: Answered; now: number }) =>
  secret ? (
    <span class="soft">
      {t('set')} <Time at={updated_at} now={now} />
    </span>
  ) : (
    <Machine text={value ?? ''} />
  )
