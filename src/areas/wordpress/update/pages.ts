import { HostError, type TaskAnswer } from '../../../host/contract/driver.ts'
import { encoded } from '../files.ts'
import { placeOf } from '../place.ts'
import { ask, type Updating } from './updating.ts'

const TIMEOUT_S = 15

type Page = TaskAnswer<'visit'>

/** What each page answers, by its path; a text says why it does not. */
export type Pages = ReadonlyMap<string, Page | string>

export async function visitAll(updating: Updating, paths: readonly string[]): Promise<Pages> {
  const pages = new Map<string, Page | string>()
  for (const path of paths) pages.set(path, await visit(updating, path))
  return pages
}

async function visit(updating: Updating, path: string): Promise<Page | string> {
  const index = encoded(placeOf(updating.domain.document_root!, updating.site.path))
  try {
    return await ask(updating, { task: 'visit', input: { index, path }, timeoutS: TIMEOUT_S })
  } catch (error) {
    if (error instanceof HostError && error.stage === 'stage') return error.message
    throw error
  }
}

/** Between two visits of a page, the size may change by that part, and as many of the words must stay. */
const MAX_SIZE_CHANGE = 0.4
const MIN_COMMON_WORDS = 0.5

function failureOf(page: Page | string): string | undefined {
  if (typeof page === 'string') return page
  if (page.fatal !== undefined) return `PHP failed: ${page.fatal}`
  return page.status < 500 ? undefined : `the status is ${page.status}`
}

/** What is worse than before, in a sentence; undefined if nothing is. Pages that failed before are not compared. */
export function worseThan(before: Pages, after: Pages): string | undefined {
  for (const [path, page] of after) {
    const former = before.get(path)
    const isComparable = typeof former === 'object' && failureOf(former) === undefined
    const problem = isComparable ? problemOf(former, page) : undefined
    if (problem !== undefined) return `${path}: ${problem}`
  }
  return undefined
}

function problemOf(before: Page, after: Page | string): string | undefined {
  if (typeof after === 'string') return after
  if (after.fatal !== undefined) return failureOf(after)
  if (after.status !== before.status) return `the status was ${before.status} and is ${after.status}`
  if (before.complete && !after.complete) return 'the page ends before its end'
  if (after.title !== before.title) return `the title was "${before.title}" and is "${after.title}"`
  if (Math.abs(after.bytes - before.bytes) > MAX_SIZE_CHANGE * before.bytes)
    return `the page had ${before.bytes} bytes and has ${after.bytes}`
  return commonIn(before.words, after.words) < MIN_COMMON_WORDS ? 'most of its words are gone' : undefined
}

/** Which part of the words stayed. */
function commonIn(before: readonly string[], after: readonly string[]): number {
  const present = new Set(after)
  return before.length === 0 ? 1 : before.filter((word) => present.has(word)).length / before.length
}

export const failedPages = (pages: Pages): string[] =>
  [...pages].flatMap(([path, page]) => {
    const problem = failureOf(page)
    return problem === undefined ? [] : `${path}: ${problem}`
  })
