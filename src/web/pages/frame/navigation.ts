import { memoize } from '../../../shared/memoize.ts'
import { type PageScope, sideOf } from '../../kit/page-scope.ts'
import { type Group, groups, type Screen, type SessionView } from '../../kit/screen.ts'
import { type Features, hasFeature, mayRun } from '../permissions.ts'

export interface NavigationEntry {
  readonly label: string
  readonly path: string
  readonly count?: number | undefined
  readonly current: boolean
}

export interface Section {
  readonly group: Group
  readonly entries: readonly NavigationEntry[]
}

export interface PageReader {
  readonly screens: readonly Screen[]
  readonly of: PageScope
  readonly session: SessionView
  readonly features: Features
  readonly counts: Readonly<Record<string, { readonly used: number } | number | boolean | undefined>>
  readonly currentPath: string
}

/** A navigation entry: its page, and the pages beside it. */
export interface Room {
  readonly first: Screen
  readonly pages: readonly Screen[]
}

/** The pages that the session may use, grouped under headings. */
export function navigationOf(reader: PageReader, rooms: readonly Room[], chosen: Room | undefined): readonly Section[] {
  return groups
    .map((group) => ({
      group,
      entries: rooms.filter(({ first }) => first.nav!.group === group).map((room) => entryOf(room, chosen, reader)),
    }))
    .filter(({ entries }) => entries.length > 0)
}

/** The tabs of this page, including itself; none if it stands alone. */
export function tabsOf(rooms: readonly Room[], screen: Screen): readonly NavigationEntry[] {
  const room = rooms.find(({ pages }) => pages.includes(screen))
  if (!room || room.pages.length < 2) return []
  return room.pages.map((one) => ({ label: one.title, path: one.path, current: one === screen }))
}

const known = new WeakMap<readonly Screen[], Map<string, readonly Room[]>>()

/** The entries that the session may use, cached by permissions. */
export function roomsOf(reader: PageReader): readonly Room[] {
  const { screens, of, session, features } = reader
  const { is_root, role, acting_as, acl } = session
  const rights = JSON.stringify([of, is_root, role, acting_as, acl, features && [...features]])
  const rooms = known.get(screens) ?? new Map<string, readonly Room[]>()
  known.set(screens, rooms)
  return memoize(rooms, rights, () => roomsFor(reader))
}

function roomsFor(reader: PageReader): Room[] {
  const own = reader.screens.filter(
    (one) => sideOf(one) === reader.of && (one.only ?? panelOf(reader)) === panelOf(reader),
  )
  return own
    .filter(({ nav, path }) => nav && !path.includes('{'))
    .map((first) => ({ first, pages: pagesOf(first, own).filter((one) => mayUse(one, reader)) }))
    .filter(({ pages }) => pages.length > 0)
    .sort((one, other) => one.first.nav!.order - other.first.nav!.order)
}

const panelOf = ({ session }: PageReader): 'user' | 'admin' => (session.role === 'customer' ? 'user' : 'admin')

const pagesOf = (first: Screen, own: readonly Screen[]): Screen[] => [
  first,
  ...(first.nav?.beside ?? []).flatMap((path) => own.filter((one) => one.path === path)),
]

const mayUse = ({ shows, nav }: Screen, { session, features }: PageReader): boolean =>
  mayRun(shows, session, features) && hasFeature(nav?.feature, features)

/** The entry that contains a page: the one with the longest path. */
export function currentOf(rooms: readonly Room[], currentPath: string): Room | undefined {
  let [current, max]: [Room | undefined, number] = [undefined, 0]
  for (const room of rooms)
    for (const { path } of room.pages)
      if (path.length > max && isAbove(path, currentPath)) [current, max] = [room, path.length]
  return current
}

const isAbove = (path: string, currentPath: string): boolean =>
  currentPath === path || currentPath.startsWith(`${path}/`)

function entryOf(room: Room, chosen: Room | undefined, reader: PageReader): NavigationEntry {
  const { first, pages } = room
  const { title, path } = pages[0]!
  // Another page than the first is called what it is: it does not list what the entry counts.
  const own =
    path === first.path ? { label: first.nav!.label ?? title, count: figureOf(room, reader) } : { label: title }
  return { ...own, path, current: room === chosen }
}

function figureOf({ first: { nav } }: Room, { counts }: PageReader): number | undefined {
  const figure = nav!.count && counts[nav!.count]
  return typeof figure === 'object' ? figure.used : undefined
}
