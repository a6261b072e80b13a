import { accountAreas, adminAreas } from '../../contract/common.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { Submit } from '../kit/components/button.tsx'
import { t } from '../kit/i18n/i18n.ts'
import type { User } from '../pages/frame/layout.tsx'
import { Box, Plain } from '../sign-in/forms.tsx'
import type { AuthorizationRequest } from './authorization-request.ts'

export const DEFAULT_DAYS = 30
export const MAX_DAYS = 365

const areaNames: Readonly<Record<string, string>> = {
  accounts: 'Accounts',
  packages: 'Packages',
  server: 'The server',
  domains: 'Domains',
  dns: 'DNS zones',
  email: 'Mailboxes and forwarders',
  files: 'Files',
  mysql: 'Databases',
  ssl: 'Certificates',
  ssh: 'SSH access',
  cron: 'Cron jobs',
  logs: 'Logs and statistics',
  account: 'Settings of the account',
  webhooks: 'Webhooks',
  events: 'Events',
}

interface ConsentProps {
  readonly server: string
  readonly user: User
  readonly panel: PanelName
  readonly action: string
  readonly authorization: AuthorizationRequest
  /** How many accounts an administrator reaches. */
  readonly accounts: number | undefined
  readonly isReseller: boolean
  readonly typed: URLSearchParams | undefined
  readonly error: string | undefined
  readonly asksPassword: boolean
}

/** What the client asks for, in plain words, and what the person chooses of it. */
export const Consent = (props: ConsentProps) => {
  const { server, user, panel, action, error, typed, asksPassword } = props
  return (
    <Plain title="Connect an AI agent" server={server} user={user}>
      <Introduction {...props} />
      {error ? (
        <p class="faults" role="alert">
          {t(error)}
        </p>
      ) : null}
      <form class="fields" method="post" action={action} data-once="">
        <input type="hidden" name="csrf_token" value={user.csrf} />
        {panel === 'admin' ? <AccountChoice {...props} /> : null}
        <Access {...props} />
        {panel === 'admin' ? <Scopes {...props} areas={adminAreas} title="For all accounts" /> : null}
        <Scopes {...props} areas={accountAreas} title={panel === 'admin' ? 'For one account' : 'Areas'} />
        <div class="field">
          <label for="days">{t('Days until it ends')}</label>
          <input
            id="days"
            name="days"
            type="number"
            min={1}
            max={MAX_DAYS}
            value={typed?.get('days') ?? String(DEFAULT_DAYS)}
            required
          />
        </div>
        {asksPassword ? <Box name="_password" label="Password" secret="current-password" focus /> : null}
        <p class="buttons">
          <Submit label="Connect" look="main" name="decision" value="connect" />
          {/* It must not wait for the fields. */}
          <button type="submit" name="decision" value="refuse" formnovalidate>
            {t('Refuse')}
          </button>
        </p>
      </form>
    </Plain>
  )
}

/** Who asks, and for whom it would act. The address is a fact; the name is the client's own claim. */
const Introduction = ({ authorization: { client, redirectUri }, user, panel, accounts, isReseller }: ConsentProps) => (
  <>
    <p>
      {t('A client asks to act for you. It calls itself')} <bdi>{client.name}</bdi>
    </p>
    <dl class="facts">
      <dt>{t('It is answered at')}</dt>
      <dd>
        <bdi>{new URL(redirectUri).host}</bdi>
      </dd>
      {client.id.startsWith('https://') ? (
        <>
          <dt>{t('It is described at')}</dt>
          <dd>
            <bdi>{client.id}</bdi>
          </dd>
        </>
      ) : null}
      <dt>{t('It would act as')}</dt>
      <dd>
        <bdi>{user.name}</bdi>
      </dd>
    </dl>
    {panel === 'admin' ? (
      <p>
        <strong>
          {isReseller
            ? t('Without an account below, it reaches all accounts of yours: {count}.', { count: accounts ?? 0 })
            : t('Without an account below, it reaches all accounts of this server: {count}.', { count: accounts ?? 0 })}
        </strong>
      </p>
    ) : (
      <p>{t('It reaches your account alone. You can end this at any time under API tokens.')}</p>
    )}
  </>
)

const AccountChoice = ({ typed }: ConsentProps) => (
  <div class="field">
    <label for="account">{t('One account alone')}</label>
    <input id="account" name="account" value={typed?.get('account') ?? ''} maxlength={64} autocomplete="off" />
  </div>
)

const Access = ({ authorization, typed }: ConsentProps) => {
  if (!authorization.scopes.includes('read-only')) return <input type="hidden" name="access" value="areas" />
  const access = typed?.get('access') ?? 'read-only'
  return (
    <fieldset class="field">
      <legend>{t('What it may do')}</legend>
      <label>
        <input type="radio" name="access" value="read-only" checked={access === 'read-only'} />
        <span>{t('Read everything, change nothing')}</span>
      </label>
      <label>
        <input type="radio" name="access" value="areas" checked={access !== 'read-only'} />
        <span>{t('Only what is ticked below')}</span>
      </label>
    </fieldset>
  )
}

type ScopesProps = ConsentProps & { readonly areas: readonly string[]; readonly title: string }

const Scopes = ({ authorization, typed, areas, title }: ScopesProps) => {
  const offered = areas
    .flatMap((area) => [`${area}:read`, `${area}:write`])
    .filter((one) => authorization.scopes.includes(one))
  if (offered.length === 0) return null
  // Without a choice of the person's, what the client named; never all there is.
  const isTicked = (scope: string): boolean =>
    typed ? typed.getAll('scope').includes(scope) : !authorization.scopes.includes('read-only')
  return (
    <fieldset class="field">
      <legend>{t(title)}</legend>
      {offered.map((scope) => {
        const [area = '', kind] = scope.split(':')
        return (
          <label>
            <input type="checkbox" name="scope" value={scope} checked={isTicked(scope)} />
            <span>
              {t(areaNames[area] ?? area)}: {t(kind === 'read' ? 'read' : 'read and change')}
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}
