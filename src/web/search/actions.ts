import { operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { actionsOf } from '../kit/actions.ts'
import { hrefTo } from '../kit/format/href.ts'
import { sideOf } from '../kit/page-scope.ts'
import type { Screen } from '../kit/screen.ts'
import type { PageRequest } from '../pages/page-request.ts'
import { mayRun } from '../pages/permissions.ts'
import type { Hit } from './hit.ts'

/** Pages whose names, commands or keywords match: each typed word is the prefix of one of theirs. */
export function actionsFor(page: PageRequest, text: string): Hit[] {
  const typed = wordsOf(text)
  return screensFor(page)
    .filter((screen) => begins(typed, wordsOfScreen(screen)))
    .map((screen) => hitOf(page, screen))
}

const MAX_ADDITIONS = 10

/** The pages that add something. */
export const additionsFor = (page: PageRequest): Hit[] =>
  screensFor(page)
    .filter(({ path }) => path.endsWith('/new'))
    .slice(0, MAX_ADDITIONS)
    .map((screen) => hitOf(page, screen))

const screensFor = ({ request, map, match: place, context }: PageRequest): Screen[] =>
  map.screens
    .filter((screen) => sideOf(screen) === place.of && (screen.only ?? request.panel) === request.panel)
    .filter(({ path, shows }) => !path.includes('{') && mayRun(shows, request.session, context.features))

const hitOf = ({ match: { base } }: PageRequest, { title, path }: Screen): Hit => ({
  label: title,
  kind: 'page',
  href: hrefTo(base, path),
})

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s.,:/-]+/)
    .filter(Boolean)

const begins = (typed: readonly string[], words: readonly string[]): boolean =>
  typed.length > 0 && typed.every((one) => words.some((word) => word.startsWith(one)))

function wordsOfScreen(screen: Screen): string[] {
  const { title, nav, find = [], shows } = screen
  const commands = [shows, ...actionsOf(screen)].flatMap((id) => {
    const { cli }: Declaration = operations[id]
    return cli?.words ?? []
  })
  return [title, nav?.label ?? '', ...find, ...commands].flatMap(wordsOf)
}
