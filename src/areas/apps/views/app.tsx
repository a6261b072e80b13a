import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Cell } from '../../../web/kit/components/cell.tsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { type Fact, FactList } from '../../../web/kit/components/description-list.tsx'
import { Fold, FoldedForm } from '../../../web/kit/components/fold.tsx'
import { Log } from '../../../web/kit/components/log.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { Time } from '../../../web/kit/components/time.tsx'
import { type Tone, toneOf } from '../../../web/kit/format/status.ts'
import { FileForm } from '../../../web/kit/forms/file-form.tsx'
import { FormError } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Buttons, Endings } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { liveAmong, Releases } from './releases.tsx'

/** A running app is well; a job that runs is in progress. */
const toneOfApp = (status: string): Tone => (status === 'running' ? 'good' : toneOf(status))

export const AppStatus = ({ of: status }: { of: string }) => <Chip status={status} tone={toneOfApp(status)} />

/** An app that was never live is new, unless its deploy failed. */
export const statusOf = ({ status, status_reason }: Answered): string =>
  status === 'new' && status_reason !== undefined ? 'failed' : status

/** An app: its state, address, releases, environment and output. */
export function appPage(view: ViewContext): PageView {
  const app = view.data
  const parts = { state: <State view={view} />, releases: <Deployed view={view} /> }
  const goesOn = app.deploying_release_id !== undefined || app.status === 'starting'
  return {
    title: app.name,
    machine: true,
    status: statusOf(app),
    tone: toneOfApp(statusOf(app)),
    lead: app.status_reason,
    actions: <Actions view={view} />,
    live: { continues: goesOn },
    parts,
    body: (
      <>
        <FormError of={view.form('rollbackApp')?.refusal} />
        <div class="two">
          <div class="stack">
            {parts.releases}
            <Deploy view={view} />
            <Written view={view} />
            <Settings view={view} />
          </div>
          <div class="stack">
            {parts.state}
            <Environment view={view} />
          </div>
        </div>
        <Endings view={view} />
      </>
    ),
  }
}

const Actions = ({ view }: { view: ViewContext }) => (
  <>
    {view.data.deploying_release_id === undefined ? null : <LinkButton href={view.path} label="Refresh" />}
    <Buttons view={view} />
    {view.may('deployApp') ? <LinkButton href="#deploy" label="Deploy" look="main" /> : null}
  </>
)

const State = ({ view }: { view: ViewContext }) => {
  const { data: app, sections, now } = view
  const live = liveAmong(sections['releases']?.items)
  return (
    <Card title="App" id="state">
      <FactList
        of={[
          [t('Address'), <Addresses view={view} />],
          [t('Release'), live ? <a href={view.href('/apps/{app}/releases/{number}', live)}>{live.number}</a> : '–'],
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

const Addresses = ({ view: { data, sections, href, has } }: { view: ViewContext }) => {
  const visible: Answered[] = (sections['domains']?.items ?? []).filter(({ id }: Answered) =>
    data.domain_ids.includes(id),
  )
  if (visible.length === 0)
    return (
      <>
        {t('No domain shows it yet.')} {has('/domains') ? <a href={href('/domains')}>{t('Domains')}</a> : null}
      </>
    )
  return (
    <ul class="plain-list">
      {visible.map(({ name }) => (
        <li>
          <a href={`https://${name}/`} rel="noreferrer noopener">
            <Code text={name} />
          </a>
        </li>
      ))}
    </ul>
  )
}

const Deployed = ({ view }: { view: ViewContext }) => {
  const items: Answered[] = view.sections['releases']?.items ?? []
  return (
    <Card title="Releases" id="releases">
      {items.length === 0 ? (
        <p class="pad soft">{t('Nothing is deployed yet.')}</p>
      ) : (
        <Releases view={view} items={items} />
      )}
    </Card>
  )
}

/** For a repository, asks which ref to deploy; otherwise, for an archive. */
const Deploy = ({ view }: { view: ViewContext }) => {
  const form = view.form('deployApp', { only: view.data.git_url === undefined ? [] : ['ref'] })
  if (!form) return null
  const isFree = view.data.deploying_release_id === undefined
  if (view.data.git_url !== undefined) return <FoldedForm of={form} id="deploy" open={isFree} />
  return (
    <Fold title="Deploy" id="deploy" open={isFree || form.refusal !== undefined}>
      <FileForm
        of={form}
        accept=".zip,.7z,.tar,.gz,.tgz,.bz2,.tbz2,.xz,.txz,.zst"
        help="An archive: zip, 7z, tar, tar.gz, tar.bz2, tar.xz or tar.zst. Up to 64 MiB; larger ones: panel apps deploy --archive."
      />
    </Fold>
  )
}

const Settings = ({ view }: { view: ViewContext }) => (
  <FoldedForm of={view.form('updateApp', { value: view.data })} title="Settings" id="settings" />
)

/** The end of the app's output; a page of its own follows all of it. */
const Written = ({ view }: { view: ViewContext }) => {
  const { log } = view.sections
  if (!log) return null
  const all = <LinkButton href={view.href('/apps/{app}/log')} label="Follow the log" />
  return <Log lines={log.items} empty="The app has written nothing." extra={all} />
}

const Environment = ({ view }: { view: ViewContext }) => {
  const { env } = view.sections
  if (!env) return null
  return (
    <Card title="Environment" extra={<a href={view.href('/apps/{app}/env')}>{t('Change')}</a>}>
      {env.items.length === 0 ? (
        <p class="pad soft">{t('No variables.')}</p>
      ) : (
        <FactList
          of={env.items.map((one: Answered): Fact => [<Code text={one.name} />, <Value of={one} now={view.now} />])}
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
    <Code text={value ?? ''} />
  )
