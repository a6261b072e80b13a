import type { OperationId } from '../contract/index.ts'
import type { PanelName } from '../contract/sessions.ts'
import type { Screen } from './kit/screen.ts'
import { type Side, sideOf } from './kit/side.ts'
import { decode, type SiteMap } from './map.ts'

/** The page that a request is for, and whose page it is. */
export interface Place {
  readonly screen: Screen
  readonly names: Readonly<Record<string, string>>
  readonly of: Side
  /** `/user`, `/admin`, or `/admin/accounts/alice`. */
  readonly base: string
  /** Below the base. */
  readonly below: string
  /** The account that an administrator is viewing, as the address names it. */
  readonly account?: string
}

/** A panel's page that no area declares, and the read that it shows. */
export function ownPlace(panel: PanelName, path: string, title: string, shows: Record<PanelName, OperationId>): Place {
  const screen = { path, title, shows: shows[panel] }
  return { screen, names: {}, of: sideOf(screen), base: `/${panel}`, below: path }
}

/** The page at a panel's address. An account's pages are below `/user`, and below the account's address in `/admin`. */
export function placeAt(map: SiteMap, panel: PanelName, address: string): Place | undefined {
  const below = address.slice(panel.length + 1) || '/'
  const own = panel === 'user' ? 'account' : 'server'
  const found = map.find(panel, own, below)
  if (found) return { ...found, of: own, base: `/${panel}`, below }
  return panel === 'admin' ? ofAccount(map, below) : undefined
}

function ofAccount(map: SiteMap, address: string): Place | undefined {
  const [, part, rest = '/'] = /^\/accounts\/([^/]+)(\/.*)?$/.exec(address) ?? []
  const account = part === undefined ? undefined : decode(part)
  if (account === undefined) return undefined
  const found = map.find('admin', 'account', rest)
  return found && { ...found, of: 'account', base: `/admin/accounts/${part}`, below: rest, account }
}
