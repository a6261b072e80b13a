import { type Child, createContext, useContext } from 'hono/jsx'
import type { OperationId } from '../../../contract/index.ts'
import { idleAfter, type PanelName } from '../../../contract/sessions.ts'
import { seen } from '../../../shared/command-line/quote.ts'
import { addressOf } from '../../http/assets.ts'
import { LinkButton } from '../../kit/components/button.tsx'
import { Code } from '../../kit/components/code.tsx'
import { Icon } from '../../kit/components/icon.tsx'
import { AccountStatus } from '../../kit/components/page.tsx'
import { ButtonForm } from '../../kit/forms/form.tsx'
import { languageNow, t } from '../../kit/i18n/i18n.ts'
import type { AccountView } from '../../kit/screen.ts'

export interface Crumb {
  readonly label: string
  readonly href?: string | undefined
  readonly machine?: boolean
  /** Whether it names one member of a list. */
  readonly object?: boolean
}

/** The signed-in user, with what signing out needs. */
export interface User {
  readonly name: string
  readonly panel: PanelName
  readonly csrf: string
  readonly actingAs?: boolean
  /** Another user was signed in to this browser before. */
  readonly switched?: boolean
  /** A reseller, who has both panels. */
  readonly maySwitch?: boolean
}

/** What a brand sets besides its name. */
export interface LayoutOptions {
  readonly accent?: string
  readonly support_url?: string
  readonly logo?: { readonly sha256: string; readonly type: string }
}

export interface AccountHead extends Pick<AccountView, 'username' | 'status'> {
  readonly suspension?: { readonly when: string; readonly by: string; readonly reason: string }
}

/** A page below the account's, or a button if it has none. */
export interface AccountAction {
  readonly op: OperationId
  readonly path?: string
  readonly label: string
  /** The only status in which it is offered, or the only one in which it is not. */
  readonly only?: AccountView['status']
  readonly unless?: AccountView['status']
}

export interface Frame {
  readonly brand: string
  readonly look?: LayoutOptions | undefined
  /** Innermost first: `<object> · <page>`. */
  readonly titles: readonly string[]
  readonly user?: User | undefined
  /** How long the session lasts, in milliseconds. */
  readonly left?: number
  readonly theme?: string | undefined
  /** The license has expired; with the page to renew it, for those who may. */
  readonly lapsed?: { readonly to?: string } | undefined
  readonly base?: string
  readonly navigation?: Child
  readonly crumbs?: readonly Crumb[]
  /** The account that an administrator is viewing. */
  readonly account?: AccountHead | undefined
  /** What the administrator may do with that account. */
  readonly does?: readonly AccountAction[] | undefined
  /** For sign-in: nothing but the page, in the middle of the window. */
  readonly centred?: boolean
}

interface Props extends Frame {
  readonly say?: Child
  readonly children?: Child
}

/** The theme preferred in this browser, unless the account sets one. */
export const Theme = createContext<string | undefined>(undefined)

/** Every document: bars, navigation, the page, and the equivalent command. */
export const Document = (frame: Props) => (
  <html
    lang={languageNow().locale}
    dir={languageNow().dir}
    data-theme={themeOf(frame.theme ?? useContext(Theme))}
    data-accent={frame.look?.accent}
  >
    <Head {...frame} />
    <body>
      <a class="skip" href="#main">
        {t('Skip to the content')}
      </a>
      {frame.centred && !frame.user ? null : <Bar {...frame} />}
      {frame.user && frame.left !== undefined ? <Ending panel={frame.user.panel} left={frame.left} /> : null}
      {frame.lapsed ? <Lapsed {...frame.lapsed} /> : null}
      {frame.user?.actingAs ? <Acting user={frame.user} /> : null}
      {frame.user?.switched && !frame.user.actingAs ? <Now user={frame.user} /> : null}
      {frame.account && frame.user?.panel === 'admin' ? <Of {...frame} account={frame.account} /> : null}
      {frame.navigation ? (
        <div class="body">
          {frame.navigation}
          <main id="main">{frame.children}</main>
        </div>
      ) : (
        <main id="main" class={frame.centred ? 'plain centred' : 'plain'}>
          {frame.children}
        </main>
      )}
      {frame.say}
    </body>
  </html>
)

const themeOf = (theme: string | undefined) => (theme === 'light' || theme === 'dark' ? theme : undefined)

export const logoAddress = ({ sha256 }: NonNullable<LayoutOptions['logo']>): string => `/assets/brand/${sha256}`

const Head = ({ titles, brand, look }: Frame) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>{seen([...titles, brand].join(' · '))}</title>
    <link rel="stylesheet" href={addressOf('panel.css')} />
    {look?.logo ? (
      <link rel="icon" type={look.logo.type} href={logoAddress(look.logo)} />
    ) : (
      <link rel="icon" type="image/svg+xml" href={addressOf('icon.svg')} />
    )}
    <Script />
  </head>
)

const Script = () => {
  const address = addressOf('panel.js')
  return address === undefined ? null : <script type="module" src={address} />
}

const Bar = ({ brand, look, user, base = '', crumbs = [], navigation }: Frame) => (
  <header class="bar">
    {navigation ? (
      <a class="menu" href="#nav" aria-label={t('Menu')}>
        <Icon name="menu" />
      </a>
    ) : null}
    <a class="brand" href={user ? `/${user.panel}/` : '/'}>
      {look?.logo ? <img src={logoAddress(look.logo)} alt="" /> : <Icon name="brand" />} <bdi>{brand}</bdi>
    </a>
    <nav class="crumbs" aria-label={t('Where you are')}>
      <ol>
        {crumbs.map(({ label, href, machine }) => (
          <li>
            {href === undefined ? (
              <Name label={label} machine={machine} />
            ) : (
              <a href={href}>
                <Name label={label} machine={machine} />
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
    {user && navigation ? (
      <a class="find" href={searchIn(user.panel, base)} data-search="" aria-label={`${t('Search or jump to…')} ⌘K`}>
        <Icon name="search" />
        <span>{t('Search or jump to…')}</span>
        <kbd>⌘K</kbd>
      </a>
    ) : null}
    {look?.support_url === undefined ? null : (
      <LinkButton href={look.support_url} label="Help" rel="noreferrer noopener" />
    )}
    {user?.maySwitch ? <Switch user={user} /> : null}
    {user ? <Me user={user} base={base} /> : null}
  </header>
)

/** Within an account, what it has is found first. */
function searchIn(panel: PanelName, base: string): string {
  const [, account] = /^\/admin\/accounts\/([^/]+)/.exec(base) ?? []
  return `/${panel}/search${account === undefined ? '' : `?within=${account}`}`
}

const Name = ({ label, machine }: { label: string; machine?: boolean | undefined }) =>
  machine ? <Code text={label} /> : <bdi>{seen(label)}</bdi>

const Me = ({ user, base }: { user: User; base: string }) => (
  <details class="me">
    <summary>
      <span class="visually-hidden">{t('Signed in as {name}', { name: user.name })}</span>
      <span aria-hidden="true">{user.name.slice(0, 2).toUpperCase()}</span>
    </summary>
    <div>
      <Code text={user.name} />
      {base === '' ? null : <a href={`/${user.panel}/me`}>{t('Security')}</a>}
      {base === '' ? null : <a href={`/${user.panel}/display`}>{t('Display')}</a>}
      <a href="/docs">{t('API reference')}</a>
      <SignOut user={user} label={t('Sign out')} />
    </div>
  </details>
)

/** Leads a reseller to its other panel. */
const Switch = ({ user }: { user: User }) => (
  <form method="post" action={`/${user.panel}/switch`} class="switch">
    <input type="hidden" name="csrf_token" value={user.csrf} />
    <span aria-current="true">{t(switchNames[user.panel])}</span>
    <button type="submit">{t(switchNames[user.panel === 'admin' ? 'user' : 'admin'])}</button>
  </form>
)

const switchNames = { admin: 'Reseller', user: 'My site' } as const

const SignOut = ({ user, label, to }: { user: User; label: string; to?: string }) => (
  <form method="post" action={`/${user.panel}/logout`} class="inline">
    <input type="hidden" name="csrf_token" value={user.csrf} />
    {to === undefined ? null : <input type="hidden" name="to" value={to} />}
    <button type="submit">{label}</button>
  </form>
)

/** A script shows this some minutes before the session ends, with a button to extend it if only idleness ends it. */
const Ending = ({ panel, left }: { panel: PanelName; left: number }) => (
  <div class="acting" role="status" data-session="" data-left={left} data-stay={`/${panel}/stay`} hidden>
    <span>{t('Your session ends in less than 5 minutes.')}</span>
    {left < idleAfter ? null : <button type="button">{t('Stay signed in')}</button>}
  </div>
)

/** On every page of the admin panel. */
const Lapsed = ({ to }: NonNullable<Frame['lapsed']>) => (
  <aside class="acting" aria-label={t('License')}>
    <span>{t('The license has expired: nothing can be changed until it is valid again.')}</span>
    {to === undefined ? null : <LinkButton href={to} label="License" />}
  </aside>
)

/** On every page of a "log in as" session. */
const Acting = ({ user }: { user: User }) => (
  <div class="acting" role="status">
    <span>
      {t('You act as')} <Code text={user.name} />.
    </span>
    <SignOut user={user} label={t('Stop acting as {name}', { name: user.name })} to={`/admin/accounts/${user.name}`} />
  </div>
)

/** On every page of a session whose link replaced another user's session. */
const Now = ({ user }: { user: User }) => (
  <div class="acting" role="status">
    <span>
      {t('You act as')} <Code text={user.name} /> {t('now.')}
    </span>
  </div>
)

const Of = ({ account, user, base, does = [] }: Frame & { account: AccountHead }) => (
  <aside class="acting of" aria-label={t('Account')}>
    <span>
      {t('Account')} <Code text={account.username} />
    </span>
    <AccountStatus status={account.status} />
    {account.suspension ? <Why {...account.suspension} /> : null}
    <span class="actions">
      {does
        .filter(({ only = account.status, unless }) => only === account.status && unless !== account.status)
        .map(({ op, path, label }) =>
          path === undefined ? (
            <ButtonForm of={user && base ? { op, action: base, csrf: user.csrf, fields: [], label } : undefined} />
          ) : (
            <a class="button" href={`${base}${path}`}>
              {t(label)}
            </a>
          ),
        )}
    </span>
  </aside>
)

/** Since when, by whom and why it is suspended. */
const Why = ({ when, by, reason }: NonNullable<AccountHead['suspension']>) => (
  <span>
    {t('{when} by {name}', { when, name: by })}
    {reason === '' ? null : (
      <>
        : <bdi>{reason}</bdi>
      </>
    )}
  </span>
)
