import type { Feature } from '../../contract/common.ts'
import type { OperationId } from '../../contract/index.ts'
import { Problem } from '../../contract/problem.ts'
import type { AccountView, Answered } from '../kit/screen.ts'
import { type Input, type PanelRequest, read } from '../panel-request.ts'
import type { PageMatch } from './match-page.ts'
import type { Features } from './permissions.ts'
import { idOf } from './resolve-ids.ts'

/** What every page of an account shows around its content. */
export interface PageContext {
  readonly accountId?: string | undefined
  readonly account?: AccountView | undefined
  readonly features?: Features
  readonly usage?: Answered
  /** The account owner's brand, or the user's own. */
  readonly brand?: Answered
}

/** Returns undefined if the read is refused. */
export async function readIfAllowed(
  request: PanelRequest,
  id: OperationId,
  input: Input,
): Promise<Answered | undefined> {
  try {
    return await read(request, id, input)
  } catch (error) {
    if (error instanceof Problem && refusals.has(error.code)) return undefined
    throw error
  }
}

const refusals: ReadonlySet<Problem['code']> = new Set(['forbidden', 'feature-disabled'] as const)

export async function readPageContext(request: PanelRequest, match: PageMatch): Promise<PageContext> {
  const accountId = await accountIn(request, match)
  if (accountId === undefined) return { brand: await readIfAllowed(request, 'getBrand', {}) }
  const params = { params: { id: accountId } }
  const account = await readIfAllowed(request, 'getAccount', params)
  const features = await readIfAllowed(request, 'getAccountFeatures', params)
  const usage = await readIfAllowed(request, 'getAccountUsage', params)
  const brand = await brandFor(request, params)
  return { accountId, account, usage, brand, features: features && new Set<Feature>(namesOn(features)) }
}

const brandFor = (request: PanelRequest, ofAccount: Input): Promise<Answered> =>
  request.panel === 'user'
    ? readIfAllowed(request, 'getBrandForAccount', ofAccount)
    : readIfAllowed(request, 'getBrand', {})

const namesOn = ({ items }: Answered): Feature[] =>
  items.filter(({ enabled, available }: Answered) => enabled && available !== false).map(({ name }: Answered) => name)

async function accountIn(request: PanelRequest, { of, account }: PageMatch): Promise<string | undefined> {
  if (of === 'server') return undefined
  return account === undefined ? request.session.account_id : idOf(request, 'account', account)
}
