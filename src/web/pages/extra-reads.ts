import type { OperationId } from '../../contract/index.ts'
import { Problem } from '../../contract/problem.ts'
import { seen } from '../../shared/command-line/quote.ts'
import { MAX_PAGE_SIZE } from '../kit/lists/pager.tsx'
import type { Answered, PageQuestion } from '../kit/screen.ts'
import type { Input, PanelRequest } from '../panel-request.ts'
import { readIfAllowed } from './page-context.ts'
import { askOf, type PageRequest, paramsFor } from './page-request.ts'
import { mayRun } from './permissions.ts'
import { paramsOf } from './resolve-ids.ts'

/** The page's data, and the form sent to it, if any. */
interface SectionInput {
  readonly data: Answered
  readonly typed: URLSearchParams | undefined
}

/** Runs a page's further reads. */
export async function readSections(page: PageRequest, filled: SectionInput): Promise<Record<string, Answered>> {
  const { sections = {} } = page.match.screen
  const answers: Record<string, Answered> = {}
  for (const [name, ask] of Object.entries(sections)) answers[name] = await readPart(page, ask, filled)
  return answers
}

function readPart(page: PageRequest, ask: PageQuestion, filled: SectionInput): Promise<Answered | undefined> {
  if (ask.each) return readEach(page, ask, filled)
  return ask.sends ? readSent(page, ask, filled) : readOne(page, ask, filled.data)
}

async function readSent(page: PageRequest, ask: PageQuestion, { typed }: SectionInput): Promise<Answered | undefined> {
  if (!typed || !ask.sends) return undefined
  const input = { params: paramsFor(page, ask.run), body: { ...ask.sends(typed) } }
  try {
    return await readIfThere(page.request, ask.run, input)
  } catch (error) {
    if (error instanceof Problem && error.status < 500)
      return { refused: seen(Object.values(error.fields ?? {})[0] ?? error.message) }
    throw error
  }
}

async function readEach(page: PageRequest, ask: PageQuestion, { data, typed }: SectionInput): Promise<Answered[]> {
  const answers: Answered[] = []
  const items = typed ? (ask.each?.(typed, data) ?? []) : []
  for (const item of items.slice(0, MAX_PAGE_SIZE))
    answers.push(await readIfThere(page.request, ask.run, { params: paramsFor(page, ask.run, item) }))
  return answers.filter((answer) => answer !== undefined)
}

/** Returns undefined for what does not exist either, such as an autoresponder not yet written. */
export async function readIfThere(request: PanelRequest, id: OperationId, ask: Input) {
  try {
    return await readIfAllowed(request, id, ask)
  } catch (error) {
    if (error instanceof Problem && error.code === 'not-found') return undefined
    throw error
  }
}

/** The page is shown without what the host cannot answer now. */
async function readOrReason(request: PanelRequest, id: OperationId, ask: Input): Promise<Answered | undefined> {
  try {
    return await readIfThere(request, id, ask)
  } catch (error) {
    if (error instanceof Problem && (error.code === 'overloaded' || error.status === 409))
      return { refused: error.message }
    throw error
  }
}

async function readOne(page: PageRequest, ask: PageQuestion, data: Answered): Promise<Answered | undefined> {
  const { request, context } = page
  if (!mayRun(ask.run, request.session)) return undefined
  const fixed = typeof ask.query === 'function' ? ask.query(data) : ask.query
  const asks = { ...fixed, ...ask.asks?.(page.query, request.screens.now()) }
  const input = { ...askOf(page, ask.run, asks), fields: ask.fields }
  if (ask.mayFail) return readOrReason(request, ask.run, input)
  if (!ask.of) return readIfThere(request, ask.run, input)
  const id = ask.of(data, page.request.session)
  const params = paramsOf(ask.run, [id ?? ''], context.accountId)
  return id === undefined ? undefined : readIfThere(request, ask.run, { ...input, params })
}
