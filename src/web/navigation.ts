import { operations } from '../contract/index.ts'
import type { SessionView } from './kit/screen.ts'
import { type Group, groups, type Screen } from './kit/screen.ts'
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

const isPlain = ({ path }: Screen): boolean => !path.includes('{')

/** The pages that the session may use, under their headings. */
export function navigationOf(reader: Reader): readonly Section[] {
  const panel = reader.session.role === 'customer' ? 'user' : 'admin'
  const shown = reader.screens
    .filter((one) => one.nav && one.of === reader.of && isPlain(one) && (one.only ?? panel) === panel)
    .filter(
      ({ shows, nav }) => mayRun(shows, reader.session, reader.features) && hasFeature(nav?.feature, reader.features),
    )
    .sort((one, other) => one.nav!.order - other.nav!.order)
  const chosen = currentOf(shown, reader.here)
  return groups
    .map((group) => ({
      group,
      entries: shown.filter(({ nav }) => nav!.group === group).map((one) => entryOf(one, chosen, reader)),
    }))
    .filter(({ entries }) => entries.length > 0)
}

/** The entry that a page is below: the one with the longest path. */
function currentOf(shown: readonly Screen[], here: string): Screen | undefined {
  const above = ({ path }: Screen): boolean => here === path || here.startsWith(`${path}/`)
  return shown.filter(above).sort((one, other) => other.path.length - one.path.length)[0]
}

function entryOf(screen: Screen, chosen: Screen | undefined, { counts }: Reader): Entry {
  const figure = screen.nav!.count && counts[screen.nav!.count]
  return {
    label: screen.nav!.label ?? screen.title,
    path: screen.path,
    count: typeof figure === 'object' ? figure.used : undefined,
    current: screen === chosen,
  }
}

/** Whether there is anything to look at behind a page's own operation. */
export const reads = ({ shows }: Screen): boolean => operations[shows].method === 'get'
