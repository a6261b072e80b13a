import { type Group, groups, type Screen, type SessionView } from './kit/screen.ts'
import { type Features, hasFeature, mayRun } from './rights.ts'

export interface Entry {
  readonly label: string
  readonly path: string
  readonly count?: number | undefined
  readonly current: boolean
}

export interface Section {
  readonly group: Group
  readonly entries: readonly Entry[]
}

interface Reader {
  readonly screens: readonly Screen[]
  readonly of: Screen['of']
  readonly session: SessionView
  readonly features: Features
  readonly counts: Readonly<Record<string, { readonly used: number } | number | boolean | undefined>>
  readonly here: string
}

/** An entry of the navigation: its page, and those that stand beside it. */
interface Room {
  readonly first: Screen
  readonly pages: readonly Screen[]
}

/** The pages that the session may use, under their headings. */
export function navigationOf(reader: Reader): readonly Section[] {
  const rooms = roomsOf(reader)
  const chosen = currentOf(rooms, reader.here)
  return groups
    .map((group) => ({
      group,
      entries: rooms.filter(({ first }) => first.nav!.group === group).map((room) => entryOf(room, chosen, reader)),
    }))
    .filter(({ entries }) => entries.length > 0)
}

/** The pages beside this one, itself among them; none where it stands alone. */
export function tabsOf(reader: Reader, screen: Screen): readonly Entry[] {
  const room = roomsOf(reader).find(({ pages }) => pages.includes(screen))
  if (!room || room.pages.length < 2) return []
  return room.pages.map((one) => ({ label: one.title, path: one.path, current: one === screen }))
}

function roomsOf(reader: Reader): Room[] {
  const own = reader.screens.filter((one) => one.of === reader.of && (one.only ?? panelOf(reader)) === panelOf(reader))
  return own
    .filter(({ nav, path }) => nav && !path.includes('{'))
    .map((first) => ({ first, pages: pagesOf(first, own).filter((one) => mayUse(one, reader)) }))
    .filter(({ pages }) => pages.length > 0)
    .sort((one, other) => one.first.nav!.order - other.first.nav!.order)
}

const panelOf = ({ session }: Reader): 'user' | 'admin' => (session.role === 'customer' ? 'user' : 'admin')

const pagesOf = (first: Screen, own: readonly Screen[]): Screen[] => [
  first,
  ...(first.nav?.beside ?? []).flatMap((path) => own.filter((one) => one.path === path)),
]

const mayUse = ({ shows, nav }: Screen, { session, features }: Reader): boolean =>
  mayRun(shows, session, features) && hasFeature(nav?.feature, features)

/** The entry that a page is below: the one with the longest path. */
function currentOf(rooms: readonly Room[], here: string): Room | undefined {
  const above = ({ path }: Screen): boolean => here === path || here.startsWith(`${path}/`)
  const length = ({ pages }: Room): number => Math.max(0, ...pages.filter(above).map(({ path }) => path.length))
  return rooms.filter((room) => length(room) > 0).sort((one, other) => length(other) - length(one))[0]
}

function entryOf(room: Room, chosen: Room | undefined, { counts }: Reader): Entry {
  const { nav, title } = room.first
  const figure = nav!.count && counts[nav!.count]
  return {
    label: nav!.label ?? title,
    path: room.pages[0]!.path,
    count: typeof figure === 'object' ? figure.used : undefined,
    current: room === chosen,
  }
}
