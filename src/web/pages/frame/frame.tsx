import type { Child } from 'hono/jsx'
import { isId } from '../../../contract/common.ts'
import { type Problem, problems } from '../../../contract/problem.ts'
import { idleAfter } from '../../../contract/sessions.ts'
import { seen } from '../../../shared/command-line/quote.ts'
import { csrfFor } from '../../http/csrf.ts'
import { LinkButton } from '../../kit/components/button.tsx'
import { moment } from '../../kit/format/format.ts'
import { hrefTo } from '../../kit/format/href.ts'
import { t } from '../../kit/i18n/i18n.ts'
import type { AccountView } from '../../kit/screen.ts'
import type { PanelRequest } from '../../panel-request.ts'
import { type PageAbove, type PageMatch, pagesAbove, partsIn } from '../match-page.ts'
import type { PageContext } from '../page-context.ts'
import { mayRun } from '../permissions.ts'
import type { Router } from '../router.ts'
import type { AccountAction, AccountHead, Crumb, Frame, User } from './layout.tsx'
import { type NavigationEntry, roomsOf, tabsOf } from './navigation.ts'
import { navigationBar } from './navigation-bar.tsx'

export const userOf = ({ panel, session }: PanelRequest): User => ({
  name: session.username ?? '',
  panel,
  csrf: csrfFor(session),
  actingAs: session.acting_as,
  switched: session.switched === true,
  maySwitch: session.may_switch === true,
})

interface Framed extends Frame {
  readonly tabs: Child
}

/** How long a session that was just used lasts, in milliseconds. */
export function leftOf({ session, screens }: PanelRequest): number {
  const left = (session.expires_at ?? screens.now()) - screens.now()
  return Math.max(0, Math.min(left, idleAfter))
}

/** The page's frame: user menu, navigation and breadcrumbs. */
export function frameOf(
  request: PanelRequest,
  map: Router,
  match: PageMatch,
  context: PageContext,
  title: string,
): Framed {
  const { session, screens, panel } = request
  const counts = (context.usage ?? {}) as Record<string, { used: number }>
  const reader = {
    screens: map.screens,
    of: match.of,
    session,
    features: context.features,
    counts,
    currentPath: match.below,
  }
  const rooms = roomsOf(reader)
  const tabs = tabsOf(rooms, match.screen)
  const crumbs = crumbsOf(map, match, request, context)
  const account = panel === 'admin' ? context.account : undefined
  return {
    brand: context.brand?.name ?? screens.server,
    look: context.brand,
    titles: [...titlesOf(match, crumbs, title), ...(account ? [account.username] : [])],
    user: userOf(request),
    left: leftOf(request),
    theme: panel === 'user' ? context.account?.theme : undefined,
    lapsed: panel === 'admin' && screens.isLapsed() ? (session.is_root ? { to: '/admin/license' } : {}) : undefined,
    base: match.base,
    navigation: navigationBar(reader, rooms, match.base),
    tabs: tabs.length === 0 ? null : <Tabs tabs={tabs} base={match.base} />,
    crumbs: [
      ...(account ? crumbsAbove(account, match) : []),
      ...crumbs,
      ...(isHome(account, match) ? [] : [{ label: title }]),
    ],
    account: account && headOf(account, screens.now()),
    does: account && accountActions.filter(({ op }) => mayRun(op, session)),
  }
}

const isHome = (account: unknown, { below }: PageMatch): boolean => account !== undefined && partsIn(below).length === 0

/** An account's pages are below the list of accounts. */
const crumbsAbove = ({ username }: AccountView, match: PageMatch): Crumb[] => [
  { label: t('Accounts'), href: '/admin/accounts' },
  { label: username, machine: true, ...(!isHome(true, match) && { href: hrefTo(match.base, '/') }) },
]

/** What stands above each page of an account. */
const headOf = (account: AccountView, now: number): AccountHead => {
  const { username, status, suspended_at, suspended_by, suspend_reason } = account
  return {
    username,
    status,
    ...(suspended_at !== undefined && {
      suspension: { when: moment(suspended_at, now), by: suspended_by ?? '', reason: suspend_reason },
    }),
  }
}

/** What is done most with an account: the page, or the button. */
const accountActions: readonly AccountAction[] = [
  { op: 'suspendAccount', path: '/suspend', label: 'Suspend', unless: 'suspended' },
  { op: 'unsuspendAccount', path: '/unsuspend', label: 'Unsuspend', only: 'suspended' },
  { op: 'changeAccountPackage', path: '/package', label: 'Package' },
  { op: 'changeAccountPassword', path: '/password', label: 'Password' },
  { op: 'loginAsAccount', label: 'Sign in', unless: 'suspended' },
]

/** The tabs beside this page. */
const Tabs = ({ tabs, base }: { tabs: readonly NavigationEntry[]; base: string }) => (
  <nav aria-label={t('Beside this page')}>
    <ul class="pills">
      {tabs.map(({ label, path, current }) => (
        <li>
          <a href={hrefTo(base, path)} {...(current ? { 'aria-current': 'page' } : {})}>
            {t(label)}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

/** The breadcrumbs: the existing pages above this one; those that the session may not see are no links. */
function crumbsOf(map: Router, match: PageMatch, { panel, session }: PanelRequest, { features }: PageContext): Crumb[] {
  return pagesAbove(map, panel, match).map((above): Crumb => {
    const { href, ...crumb } = crumbOf(above)
    return mayRun(above.screen.shows, session, features) ? { ...crumb, href } : crumb
  })
}

function crumbOf({ screen: { path, title }, part, href }: PageAbove): Crumb & { href: string } {
  const object = path.endsWith('}')
  const isName = object && !isId(part)
  return isName ? { label: decodeURIComponent(part), href, machine: true, object } : { label: t(title), href, object }
}

/** `<object> · <page>`: an object's page also names its list, and a page below an object names that object. */
function titlesOf({ screen, below }: PageMatch, crumbs: readonly Crumb[], title: string): string[] {
  const above = crumbs.at(-1)
  if (screen.path.endsWith('}')) return titlesOfObject(decodeURIComponent(partsIn(below).at(-1)!), above, title)
  if (!above?.object) return [title]
  const page = t(screen.title)
  if (above.machine) return [above.label, title === above.label ? page : title]
  return title === page ? [above.label, page] : [title, page]
}

/** The page's title may say what kind of object it is, but not which one. */
function titlesOfObject(name: string, above: Crumb | undefined, title: string): string[] {
  if (!isId(name) && !title.toLowerCase().includes(name.toLowerCase())) return [name, title]
  return above ? [title, above.label] : [title]
}

/** What the user can do about an error. */
const advice: Readonly<Partial<Record<Problem['code'], string>>> = {
  forbidden: 'Ask your administrator for the privilege.',
  'feature-disabled': 'Your package does not include it. Ask your provider for one that does.',
  'license-readonly': 'Nothing can be changed until the license is valid again. Pages can still be read.',
  'rate-limited': 'Wait a moment, then try again.',
  overloaded: 'Wait a moment, then try again. Nothing was changed.',
  'storage-full': 'Nothing was changed. Free some space on the server first.',
  busy: 'Wait until the change in progress has ended, then try again.',
  'not-found': 'It may have been deleted, or the address may be misspelt.',
  internal: 'Try again. If it happens again, tell your administrator.',
}

/** What the page needs is being prepared: the browser asks again. */
const isPrepared = ({ code, headers }: Problem): boolean => code === 'busy' && headers['Retry-After'] !== undefined

/** An error page: what is wrong, and what to do. */
export const Refused = ({ problem, home }: { problem: Problem; home: string }) => (
  <>
    <h1>{t(isPrepared(problem) ? 'One moment' : problems[problem.code].title)}</h1>
    {problem.detail === undefined ? null : <p role="alert">{seen(problem.detail)}</p>}
    {advice[problem.code] === undefined || isPrepared(problem) ? null : <p>{t(advice[problem.code]!)}</p>}
    {isPrepared(problem) ? (
      <>
        <p>{t('This page opens by itself when it is ready.')}</p>
        <p>
          <LinkButton href="" label="Try again" />
        </p>
      </>
    ) : null}
    <p>
      <a href={home}>{t('Go to the start page')}</a>
    </p>
  </>
)
