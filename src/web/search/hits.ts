import { isId } from '../../contract/common.ts'
import type { LookupKind } from '../../contract/lookup.ts'
import { hrefTo } from '../kit/format/href.ts'
import { jobInWords } from '../kit/i18n/job-words.ts'
import type { Answered } from '../kit/screen.ts'
import { readIfThere } from '../pages/extra-reads.ts'
import { readIfAllowed } from '../pages/page-context.ts'
import type { PageRequest } from '../pages/page-request.ts'
import { actionsFor, additionsFor } from './actions.ts'
import type { Hit } from './hit.ts'
import { recentObjects } from './recent.ts'

/** The page of an object by its kind, below its account if it has one. */
const pages: Readonly<Record<LookupKind, string>> = {
  account: '/accounts/{name}',
  package: '/packages/{id}',
  domain: '/domains/{name}',
  zone: '/dns/{name}',
  mailbox: '/email/{name}',
  forwarder: '/email/forwarders/{name}',
  database: '/mysql/{name}',
  database_user: '/mysql/users/{name}',
  ftp_account: '/ftp/{name}',
  app: '/apps/{name}',
}

export const MAX_HITS = 20

/** Finds objects by name prefix or id, and pages by name; exact matches come first. Without a text, what is likely. */
export async function hitsFor(page: PageRequest, text: string): Promise<readonly Hit[]> {
  if (text === '') return [...(await recentFor(page)), ...additionsFor(page)]
  const objects = await objectsFor(page, text)
  const isExact = ({ label }: Hit): boolean => label.toLowerCase() === text.toLowerCase()
  const all = [...objects.filter(isExact), ...actionsFor(page, text), ...objects.filter((hit) => !isExact(hit))]
  return all.slice(0, MAX_HITS)
}

/** Objects that were created or changed lately, if they have a page. */
async function recentFor(page: PageRequest): Promise<Hit[]> {
  const recent = await recentObjects(page)
  return recent.filter(({ kind }) => Object.hasOwn(pages, kind)).map(toHit(page))
}

async function objectsFor(page: PageRequest, text: string): Promise<Hit[]> {
  if (isId(text.toUpperCase())) return byId(page, text.toUpperCase())
  if (text.length < 2 || text.length > 320) return []
  const { request, context } = page
  const query = { prefix: text }
  if (context.accountId === undefined) {
    const found = await readIfAllowed(request, 'lookup', { query })
    return found?.items.length > 0 ? found.items.map(toHit(page)) : accountsWith(page, text)
  }
  const found = await readIfAllowed(request, 'lookupForAccount', { params: { id: context.accountId }, query })
  return (found?.items ?? []).filter(({ kind }: Answered) => kind !== 'account').map(toHit(page))
}

const MAX_ACCOUNTS = 10
/** As `listAccounts` takes it. */
const MAX_SEARCH_LENGTH = 254

/** The accounts with a user name, domain, mailbox or contact address that has the text anywhere: read where no name begins so. */
async function accountsWith(page: PageRequest, text: string): Promise<Hit[]> {
  if (text.length > MAX_SEARCH_LENGTH) return []
  const query = { search: text, per_page: String(MAX_ACCOUNTS) }
  const found = await readIfAllowed(page.request, 'listAccounts', { query })
  return (found?.items ?? []).map(({ id, username, main_domain }: Answered) => ({
    ...toHit(page)({ kind: 'account', id, name: username }),
    of: main_domain,
  }))
}

const toHit =
  ({ request: { panel } }: PageRequest) =>
  (found: Answered): Hit => {
    const { kind, name, username } = found
    const ofServer = kind === 'account' || kind === 'package'
    const base = panel === 'user' || ofServer ? `/${panel}` : `/admin/accounts/${encodeURIComponent(username)}`
    const of = panel === 'admin' && !ofServer ? { of: username } : {}
    return {
      label: name,
      machine: true,
      kind: kind.replaceAll('_', ' '),
      href: hrefTo(base, pages[kind as LookupKind], found),
      ...of,
    }
  }

/** A job or an account: the ids that people copy. */
async function byId({ request, context }: PageRequest, id: string): Promise<Hit[]> {
  const { panel } = request
  const account = panel === 'admin' && (await readIfThere(request, 'getAccount', { params: { id } }))
  if (account) return [{ label: account.username, machine: true, kind: 'account', href: `/admin/accounts/${id}` }]
  const found = context.accountId
    ? await readIfThere(request, 'getJobForAccount', { params: { id: context.accountId, jid: id } })
    : await readIfThere(request, 'getJob', { params: { id } })
  return found ? [{ label: jobInWords(found.job.kind), kind: 'job', href: `/${panel}/jobs/${id}` }] : []
}
