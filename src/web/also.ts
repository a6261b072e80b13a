import type { OperationId } from '../contract/index.ts'
import { Problem } from '../contract/problem.ts'
import { seen } from '../shared/say/quote.ts'
import { readIfAllowed } from './around.ts'
import { mostRows } from './kit/pager.tsx'
import type { Answered, Ask } from './kit/screen.ts'
import { askOf, type Looking, paramsFor } from './looking.ts'
import { paramsOf } from './names.ts'
import { mayRun } from './rights.ts'
import type { Input, Served } from './served.ts'

/** The page's data, and the form sent to it, if any. */
interface Filled {
  readonly data: Answered
  readonly typed: URLSearchParams | undefined
}

/** Runs a page's further reads. */
export async function readAlso(looking: Looking, filled: Filled): Promise<Record<string, Answered>> {
  const { also = {} } = looking.place.screen
  const answers: Record<string, Answered> = {}
  for (const [name, ask] of Object.entries(also)) answers[name] = await readPart(looking, ask, filled)
  return answers
}

function readPart(looking: Looking, ask: Ask, filled: Filled): Promise<Answered | undefined> {
  if (ask.each) return readEach(looking, ask, filled)
  return ask.sends ? readSent(looking, ask, filled) : readOne(looking, ask, filled.data)
}

async function readSent(looking: Looking, ask: Ask, { typed }: Filled): Promise<Answered | undefined> {
  if (!typed || !ask.sends) return undefined
  const asked = { params: paramsFor(looking, ask.run), body: { ...ask.sends(typed) } }
  try {
    return await readIfThere(looking.served, ask.run, asked)
  } catch (error) {
    if (error instanceof Problem && error.status < 500)
      return { refused: seen(Object.values(error.fields ?? {})[0] ?? error.message) }
    throw error
  }
}

async function readEach(looking: Looking, ask: Ask, { data, typed }: Filled): Promise<Answered[]> {
  const answers: Answered[] = []
  const items = typed ? (ask.each?.(typed, data) ?? []) : []
  for (const item of items.slice(0, mostRows))
    answers.push(await readIfThere(looking.served, ask.run, { params: paramsFor(looking, ask.run, item) }))
  return answers.filter((answer) => answer !== undefined)
}

/** Returns undefined for what does not exist either, such as an autoresponder not yet written. */
export async function readIfThere(served: Served, id: OperationId, ask: Input) {
  try {
    return await readIfAllowed(served, id, ask)
  } catch (error) {
    if (error instanceof Problem && error.code === 'not-found') return undefined
    throw error
  }
}

async function readOne(looking: Looking, ask: Ask, data: Answered): Promise<Answered | undefined> {
  const { served, around } = looking
  if (!mayRun(ask.run, served.session)) return undefined
  const fixed = typeof ask.query === 'function' ? ask.query(data) : ask.query
  const asks = { ...fixed, ...ask.asks?.(looking.query, served.screens.now()) }
  const asked = { ...askOf(looking, ask.run, asks), fields: ask.fields }
  if (!ask.of) return readIfThere(served, ask.run, asked)
  const id = ask.of(data)
  const params = paramsOf(ask.run, [id ?? ''], around.accountId)
  return id === undefined ? undefined : readIfThere(served, ask.run, { ...asked, params })
}
