import { distance, similar } from '../../shared/similar.ts'
import { table } from '../table.ts'

/** Words from other tools, and their possible meanings here, of which the first that exists applies. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  users: ['accounts'],
  customers: ['accounts'],
  plans: ['packages'],
  keys: ['tokens'],
  'api-tokens': ['tokens'],
  hooks: ['webhooks'],
  log: ['logs'],
  daemon: ['serve'],
  upgrade: ['set-package'],
  passwd: ['set-password'],
  ls: ['list'],
  get: ['show', 'list'],
  info: ['show'],
  describe: ['show'],
  view: ['show'],
  add: ['create'],
  new: ['create'],
  edit: ['update'],
  modify: ['update'],
  change: ['update'],
  set: ['update'],
  mv: ['rename'],
  ...each(['delete', 'remove', 'rm', 'del', 'destroy'], ['delete', 'terminate', 'revoke', 'remove', 'uninstall']),
}

function each(words: readonly string[], meant: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(words.map((word) => [word, meant]))
}

/** First words that mean two. */
const groups: Readonly<Record<string, readonly string[]>> = {
  db: ['mysql', 'databases'],
  database: ['mysql', 'databases'],
  databases: ['mysql', 'databases'],
}

/** The line with a first word that means two, such as `db`, as those. */
export function expanded(words: readonly string[], [first]: readonly number[]): readonly string[] {
  const meant = first === undefined ? undefined : groups[words[first] ?? '']
  return meant ? [...words.slice(0, first), ...meant, ...words.slice(first! + 1)] : words
}

/** Translates a line to this command line's words; unchanged if it is valid or unknown. */
export function translated(words: readonly string[], plain: readonly number[]): readonly string[] {
  const line = [...words]
  const path: string[] = []
  for (const [at, place] of plain.entries()) {
    const known = childrenOf(path)
    if (known.size === 0) break
    const typed = words[place] ?? ''
    const meant = known.has(typed) ? typed : meaningOf(typed, known, at < plain.length - 1)
    if (meant === undefined) break
    line[place] = meant
    path.push(meant)
  }
  return line
}

/** The words that may follow these. */
function childrenOf(path: readonly string[]): Set<string> {
  const below = table.commands.filter(
    ({ words }) => words.length > path.length && path.every((word, at) => words[at] === word),
  )
  return new Set(below.map(({ words }) => words[path.length] ?? ''))
}

function meaningOf(typed: string, known: ReadonlySet<string>, more: boolean): string | undefined {
  const plural = [`${typed}s`, typed.replace(/y$/, 'ies')]
  const candidates = [...plural, ...[typed, ...plural].flatMap((word) => meanings[word] ?? [])]
  // `get` alone means all of them.
  const ordered = typed === 'get' && !more ? candidates.reverse() : candidates
  return ordered.find((word) => known.has(word))
}

/** The unknown word, and what to type instead. */
export function instead(typed: readonly string[]): { word: string; hint: string } {
  const wrong = typed.findIndex((word, at) => !childrenOf(typed.slice(0, at)).has(word))
  const [path, word] = [typed.slice(0, wrong), typed[wrong] ?? '']
  return { word, hint: suggestion(path, word, childrenOf(path)) }
}

/** Short words resemble many others. */
const isNear = (typed: string, word: string): boolean => typed.length > 3 || distance(typed, word) < 2

function suggestion(path: readonly string[], typed: string, known: ReadonlySet<string>): string {
  const deeper = [...known]
    .filter((group) => childrenOf([...path, group]).has(typed))
    .map((group) => `${group} ${typed}`)
  if (path.length > 0 && deeper.length > 0 && deeper.length <= MAX_GROUPS) return didMean(path, deeper)
  const near = similar(typed, [...known, ...Object.keys(meanings)]).filter((word) => isNear(typed, word))
  const meant = near.map((word) => (known.has(word) ? word : meanings[word]?.find((one) => known.has(one))))
  const found = [...new Set(meant.filter((word) => word !== undefined))]
  return found.length === 0 ? `see ${['panel', ...path].join(' ')} --help` : didMean(path, found)
}

/** A longer list would not help to choose. */
const MAX_GROUPS = 4

const didMean = (path: readonly string[], found: readonly string[]): string =>
  `did you mean ${found.map((word) => ['panel', ...path, word].join(' ')).join(' or ')}?`
