import type { Feature } from '../contract/common.ts'
import type { OperationId } from '../contract/index.ts'
import { Problem } from '../contract/problem.ts'
import type { AccountView, Answered } from './kit/screen.ts'
import { idOf } from './names.ts'
import type { Place } from './place.ts'
import type { Features } from './rights.ts'
import { type Input, read, type Served } from './served.ts'

/** What every page of an account shows around its content. */
export interface Around {
  readonly accountId?: string | undefined
  readonly account?: AccountView | undefined
  readonly features?: Features
  readonly usage?: Answered
  /** The account owner's brand, or the user's own. */
  readonly brand?: Answered
}

/** Returns undefined if the read is refused. */
export async function readIfAllowed(served: Served, id: OperationId, input: Input): Promise<Answered | undefined> {
  try {
    return await read(served, id, input)
  } catch (error) {
    if (error instanceof Problem && refusals.has(error.code)) return undefined
    throw error
  }
}

const refusals: ReadonlySet<Problem['code']> = new Set(['forbidden', 'feature-disabled'] as const)

export async function readAround(served: Served, place: Place): Promise<Around> {
  const accountId = await accountIn(served, place)
  if (accountId === undefined) return { brand: await readIfAllowed(served, 'getBrand', {}) }
  const params = { params: { id: accountId } }
  const account = await readIfAllowed(served, 'getAccount', params)
  const features = await readIfAllowed(served, 'getAccountFeatures', params)
  const usage = await readIfAllowed(served, 'getAccountUsage', params)
  const brand = await brandFor(served, params)
  return { accountId, account, usage, brand, features: features && new Set<Feature>(namesOn(features)) }
}

const brandFor = (served: Served, ofAccount: Input): Promise<Answered> =>
  served.panel === 'user'
    ? readIfAllowed(served, 'getBrandForAccount', ofAccount)
    : readIfAllowed(served, 'getBrand', {})

const namesOn = ({ items }: Answered): Feature[] =>
  items.filter(({ enabled }: Answered) => enabled).map(({ name }: Answered) => name)

async function accountIn(served: Served, { of, account }: Place): Promise<string | undefined> {
  if (of === 'server') return undefined
  return account === undefined ? served.session.account_id : idOf(served, 'account', account)
}
