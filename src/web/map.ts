import type { PanelName } from '../contract/sessions.ts'
import type { Screen } from './kit/screen.ts'
import { type Side, sideOf } from './kit/side.ts'

/** The page at an address, and the names in the address. */
interface Match {
  readonly screen: Screen
  readonly names: Readonly<Record<string, string>>
}

/** One segment of addresses: literal words are tried first, then a name, then the rest. */
interface Place {
  readonly words: Map<string, Place>
  name?: { readonly called: string; readonly place: Place }
  rest?: { readonly called: string; readonly screen: Screen }
  screen?: Screen
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')
const newPlace = (): Place => ({ words: new Map() })

const panelsOf: Readonly<Record<Side, readonly PanelName[]>> = { account: ['user', 'admin'], server: ['admin'] }

/** Maps addresses to pages. */
export class SiteMap {
  readonly screens: readonly Screen[]
  readonly #roots = new Map<string, Place>()

  constructor(screens: readonly Screen[]) {
    this.screens = screens
    for (const screen of screens) {
      const side = sideOf(screen)
      for (const panel of screen.only ? [screen.only] : panelsOf[side]) this.#add(`${panel} ${side}`, screen)
    }
  }

  /** The page at a path below the base, among an account's pages or the server's. */
  find(panel: PanelName, of: Side, path: string): Match | undefined {
    const root = this.#roots.get(`${panel} ${of}`)
    const decoded = partsOf(path).map(decode)
    if (!root || decoded.includes(undefined)) return undefined
    return walk(root, decoded as string[], {})
  }

  /** Whether a page with this path pattern exists. */
  has(path: string, of: Side): boolean {
    return this.screens.some((one) => one.path === path && sideOf(one) === of)
  }

  #add(key: string, screen: Screen): void {
    const root = this.#roots.get(key) ?? newPlace()
    this.#roots.set(key, root)
    let place = root
    for (const part of partsOf(screen.path)) {
      const [, called, rest] = /^\{(\w+)(\.\.\.)?\}$/.exec(part) ?? []
      if (called && rest) {
        place.rest = { called, screen }
        return
      }
      place = called ? nameBelow(place, called) : wordBelow(place, part)
    }
    if (place.screen) throw new Error(`two screens are at ${screen.path}`)
    place.screen = screen
  }
}

function nameBelow(place: Place, called: string): Place {
  place.name ??= { called, place: newPlace() }
  if (place.name.called !== called) throw new Error(`{${called}} stands where {${place.name.called}} does`)
  return place.name.place
}

function wordBelow({ words }: Place, word: string): Place {
  const place = words.get(word) ?? newPlace()
  words.set(word, place)
  return place
}

function walk(place: Place, parts: readonly string[], names: Record<string, string>): Match | undefined {
  const [part, ...others] = parts
  if (part === undefined) return place.screen && { screen: place.screen, names }
  const word = place.words.get(part)
  const { name, rest } = place
  return (
    (word && walk(word, others, names)) ??
    (name && walk(name.place, others, { ...names, [name.called]: part })) ??
    (rest && { screen: rest.screen, names: { ...names, [rest.called]: parts.join('/') } })
  )
}

/** Decodes an address segment; undefined if it is malformed or could be taken for several segments. */
export function decode(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part)
    return text === '.' || text === '..' || text.includes('/') || text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
