import { posix } from 'node:path'
import type { SourceHtaccess } from '../contract/commands/imports.ts'
import { unreadHtaccess } from './htaccess.ts'

/** Relative to the home; the target as the link has it. */
export interface HomeLink {
  readonly file: string
  readonly target: string
}

interface Home {
  readonly links: readonly HomeLink[]
  readonly htaccess: readonly SourceHtaccess[]
  /** Its paths on the old server. */
  readonly homes: readonly string[]
  readonly roots: readonly string[]
}

/** Of a link that leads to a link, as many as Linux follows. */
const MAX_FOLLOWED = 40
const MAX_LINKS = 1_000

/**
 * Links of sites that lead to what a `.htaccess` file elsewhere protects: on the way of the link, Apache reads that file,
 * too. They count as such files.
 */
export function protectedLinks({ links, htaccess, homes, roots }: Home): SourceHtaccess[] {
  const targets = new Map(links.flatMap((one) => targetOf(one, homes)))
  const files = htaccess.filter(({ hasAccess }) => hasAccess).map(({ file }) => posix.dirname(file))
  const found = leadingTo(targets, files)
  const ofSites = [...found].filter((file) => roots.some((root) => file.startsWith(`${root}/`)))
  if (ofSites.length > MAX_LINKS) return roots.map((root) => asFile(root))
  return ofSites.map(asFile)
}

const asFile = (path: string): SourceHtaccess =>
  unreadHtaccess(`${path}/.htaccess`, 'is behind a link that leads to a protected directory')

/** A text that was cut stands for the directory above it. */
const uncut = (text: string): string => (text.endsWith('…') ? posix.dirname(text) : text)

function targetOf({ file, target: text }: HomeLink, homes: readonly string[]): [string, string][] {
  const target = uncut(text)
  const home = homes.find((one) => target === one || target.startsWith(`${one}/`))
  const path = home === undefined ? posix.join(posix.dirname(file), target) : posix.join('.', target.slice(home.length))
  const isOutside = home === undefined && (target.startsWith('/') || path.startsWith('..'))
  return isOutside ? [] : [[file, path.replace(/^\/|\/$/g, '') || '.']]
}

function leadingTo(targets: ReadonlyMap<string, string>, directories: readonly string[]): Set<string> {
  const [closed, above] = [new Set<string>(), new Set<string>()]
  const found = new Set<string>()
  const add = (directory: string): void => {
    closed.add(directory)
    for (const one of ancestorsOf(directory)) above.add(one)
  }
  for (const one of directories) add(one)
  for (let round = 0; round < MAX_FOLLOWED; round++) {
    const next = [...targets].filter(
      ([file, to]) => !found.has(file) && (above.has(to) || [to, ...ancestorsOf(to)].some((one) => closed.has(one))),
    )
    if (next.length === 0) break
    for (const [file] of next) {
      found.add(file)
      add(file)
    }
  }
  return found
}

function ancestorsOf(path: string): string[] {
  const all: string[] = []
  for (let at = path; at !== '.'; ) {
    at = posix.dirname(at)
    all.push(at)
  }
  return all
}
