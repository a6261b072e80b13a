import type { PanelName } from '../../contract/sessions.ts'
import { type PageScope, sideOf } from '../kit/page-scope.ts'
import type { Screen } from '../kit/screen.ts'

/** The page at an address, and the names in the address. */
interface RouteMatch {
  readonly screen: Screen
  readonly names: Readonly<Record<string, string>>
}

/** One segment of addresses: literal words are tried first, then a name, then the rest. */
interface RouteNode {
  readonly words: Map<string, RouteNode>
  name?: { readonly called: string; readonly place: RouteNode }
  rest?: { readonly called: string; readonly screen: Screen }
  screen?: Screen
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')
const newNode = (): RouteNode => ({ words: new Map() })

const panelsOf: Readonly<Record<PageScope, readonly PanelName[]>> = { account: ['user', 'admin'], server: ['admin'] }

/** Maps addresses to pages. */
export class Router {
  readonly screens: readonly Screen[]
  readonly #roots = new Map<string, RouteNode>()

  constructor(screens: readonly Screen[]) {
    this.screens = screens
    for (const screen of screens) {
      const side = sideOf(screen)
      for (const panel of screen.only ? [screen.only] : panelsOf[side]) this.#add(`${panel} ${side}`, screen)
    }
  }

  /** The page at a path below the base, among an account's pages or the server's. */
  find(panel: PanelName, of: PageScope, path: string): RouteMatch | undefined {
    const root = this.#roots.get(`${panel} ${of}`)
    const decoded = partsOf(path).map(decode)
    if (!root || decoded.includes(undefined)) return undefined
    return walk(root, decoded as string[], {})
  }

  /** Whether a page with this path pattern exists. */
  has(path: string, of: PageScope): boolean {
    return this.screens.some((one) => one.path === path && sideOf(one) === of)
  }

  #add(key: string, screen: Screen): void {
    const root = this.#roots.get(key) ?? newNode()
    this.#roots.set(key, root)
    let node = root
    for (const part of partsOf(screen.path)) {
      const [, called, rest] = /^\{(\w+)(\.\.\.)?\}$/.exec(part) ?? []
      if (called && rest) {
        node.rest = { called, screen }
        return
      }
      node = called ? nameBelow(node, called) : wordBelow(node, part)
    }
    if (node.screen) throw new Error(`two screens are at ${screen.path}`)
    node.screen = screen
  }
}

function nameBelow(node: RouteNode, called: string): RouteNode {
  node.name ??= { called, place: newNode() }
  if (node.name.called !== called) throw new Error(`{${called}} stands where {${node.name.called}} does`)
  return node.name.place
}

function wordBelow({ words }: RouteNode, word: string): RouteNode {
  const node = words.get(word) ?? newNode()
  words.set(word, node)
  return node
}

function walk(node: RouteNode, parts: readonly string[], names: Record<string, string>): RouteMatch | undefined {
  const [part, ...others] = parts
  if (part === undefined) return node.screen && { screen: node.screen, names }
  const word = node.words.get(part)
  const { name, rest } = node
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
