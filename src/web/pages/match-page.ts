import type { OperationId } from '../../contract/index.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { hrefTo } from '../kit/format/href.ts'
import { type PageScope, sideOf } from '../kit/page-scope.ts'
import type { Screen } from '../kit/screen.ts'
import { decode, type Router } from './router.ts'

/** The page that a request is for, and whose page it is. */
export interface PageMatch {
  readonly screen: Screen
  readonly names: Readonly<Record<string, string>>
  readonly of: PageScope
  /** `/user`, `/admin`, or `/admin/accounts/alice`. */
  readonly base: string
  /** Below the base. */
  readonly below: string
  /** The account that an administrator is viewing, as the address names it. */
  readonly account?: string
}

/** The segments of an address. */
export const partsIn = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** A page above another. */
export interface PageAbove {
  readonly screen: Screen
  /** The last segment of its address. */
  readonly part: string
  readonly href: string
}

/** The existing pages above one, from the top. */
export function pagesAbove(map: Router, panel: PanelName, { screen, below, of, base }: PageMatch): PageAbove[] {
  const { within } = screen
  const own = partsIn(below)
  const all = within === undefined ? own : [within, ...own.slice(1)]
  return all.slice(0, -1).flatMap((part, end): PageAbove[] => {
    const path = `/${all.slice(0, end + 1).join('/')}`
    const found = map.find(panel, of, path)
    return found ? [{ screen: found.screen, part, href: hrefTo(base, '') + path }] : []
  })
}

/** A panel's page that no area declares, and the read that it shows. */
export function ownPage(
  panel: PanelName,
  path: string,
  title: string,
  shows: Record<PanelName, OperationId>,
): PageMatch {
  const screen = { path, title, shows: shows[panel] }
  return { screen, names: {}, of: sideOf(screen), base: `/${panel}`, below: path }
}

/** The page at a panel's address. An account's pages are below `/user`, and below the account's address in `/admin`. */
export function matchPage(map: Router, panel: PanelName, address: string): PageMatch | undefined {
  const below = address.slice(panel.length + 1) || '/'
  const own = panel === 'user' ? 'account' : 'server'
  const found = map.find(panel, own, below)
  if (found) return { ...found, of: own, base: `/${panel}`, below }
  return panel === 'admin' ? ofAccount(map, below) : undefined
}

function ofAccount(map: Router, address: string): PageMatch | undefined {
  const [, part, rest = '/'] = /^\/accounts\/([^/]+)(\/.*)?$/.exec(address) ?? []
  const account = part === undefined ? undefined : decode(part)
  if (account === undefined) return undefined
  const found = map.find('admin', 'account', rest)
  return found && { ...found, of: 'account', base: `/admin/accounts/${part}`, below: rest, account }
}
