import { distance, similar } from '../../shared/similar.ts'
import { table } from '../table.ts'
import { certain, type Guess, guesses } from './guess.ts'
import { commandOf, plainPlaces } from './read.ts'
import { each } from './synonyms.ts'

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
  ...each('delete remove rm del destroy', 'delete terminate revoke remove uninstall'),
}

/** Nouns that stand for a group. */
const groups: Readonly<Record<string, readonly string[]>> = {
  ...each('db database databases', 'mysql databases'),
  ...each('mail mailbox mailboxes', 'email'),
  ...each('forwarder forwarders', 'email forwarders'),
  ...each('cert certs certificate certificates', 'ssl'),
  ...each('zone zones', 'dns'),
  ...each('site sites website websites', 'domains'),
}

/** The line with a first word such as `db` as the words of its group. */
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

/** A line such as `dns create-record shop.example` as the only other command that it can mean. */
export function guessed(words: readonly string[], translation: readonly string[]): readonly string[] | undefined {
  const plain = plainPlaces(words)
  const found = certain(guesses(beginning(words, plain)))
  if (!found || found.command === commandOf(translation, table)) return undefined
  const places = new Set(plain.slice(0, found.length))
  const first = plain[0] ?? 0
  const others = words.slice(first).filter((_, at) => !places.has(first + at))
  return [...words.slice(0, first), ...found.command.words, ...others]
}

/** The words before the first option of a command. */
function beginning(words: readonly string[], plain: readonly number[]): string[] {
  const next = plain.findIndex((place, at) => at > 0 && place !== plain[at - 1]! + 1)
  return plain.slice(0, next < 0 ? plain.length : next).map((place) => words[place] ?? '')
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
  const found = guesses(typed)
  const isHelpful = found.length > 0 && found.length <= MAX_GUESSES
  return { word, hint: isHelpful ? oneOf(found, typed) : suggestion(path, word, childrenOf(path)) }
}

const MAX_GUESSES = 5

/** The lines to type for what was typed. */
function oneOf(found: readonly Guess[], typed: readonly string[]): string {
  const lines = found.map(({ command, length }) => [...command.words, ...typed.slice(length)].join(' '))
  return didMean([], lines)
}

/** Short words resemble many others. */
const isNear = (typed: string, word: string): boolean => typed.length > 3 || distance(typed, word) < 2

function suggestion(path: readonly string[], typed: string, known: ReadonlySet<string>): string {
  const deeper = [...known]
    .filter((group) => childrenOf([...path, group]).has(typed))
    .map((group) => `${group} ${typed}`)
  if (path.length > 0 && deeper.length > 0 && deeper.length <= MAX_GROUPS) return didMean(path, deeper)
  const near = similar(typed, [...known, ...Object.keys(meanings), ...Object.keys(path.length > 0 ? {} : groups)])
  const meant = near
    .filter((word) => isNear(typed, word))
    .map((word) => (known.has(word) ? word : meantFrom(word, known)))
  const found = [...new Set(meant.filter((word) => word !== undefined))]
  return found.length === 0 ? `see ${['panel', ...path].join(' ')} --help` : didMean(path, found)
}

const meantFrom = (word: string, known: ReadonlySet<string>): string | undefined =>
  groups[word]?.join(' ') ?? meanings[word]?.find((one) => known.has(one))

/** A longer list would not help to choose. */
const MAX_GROUPS = 4

const didMean = (path: readonly string[], found: readonly string[]): string =>
  `did you mean ${found.map((word) => ['panel', ...path, word].join(' ')).join(' or ')}?`
