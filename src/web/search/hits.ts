import type { LookupKind } from '../../contract/lookup.ts'
import { readIfThere } from '../also.ts'
import { readIfAllowed } from '../around.ts'
import { hrefTo } from '../kit/href.ts'
import { jobInWords } from '../kit/job-words.ts'
import type { Answered } from '../kit/screen.ts'
import type { Looking } from '../looking.ts'
import { isId } from '../names.ts'
import { actionsFor } from './actions.ts'
import type { Hit } from './hit.ts'

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

export const mostHits = 20

/** Finds objects by name prefix or id, and pages by name; exact matches come first. */
export async function hitsFor(looking: Looking, text: string): Promise<readonly Hit[]> {
  if (text === '') return []
  const objects = await objectsFor(looking, text)
  const isExact = ({ label }: Hit): boolean => label.toLowerCase() === text.toLowerCase()
  const all = [...objects.filter(isExact), ...actionsFor(looking, text), ...objects.filter((hit) => !isExact(hit))]
  return all.slice(0, mostHits)
}

async function objectsFor(looking: Looking, text: string): Promise<Hit[]> {
  if (isId(text.toUpperCase())) return byId(looking, text.toUpperCase())
  if (text.length < 2 || text.length > 320) return []
  const { served, around } = looking
  const query = { prefix: text }
  const found = around.accountId
    ? await readIfAllowed(served, 'lookupForAccount', { params: { id: around.accountId }, query })
    : await readIfAllowed(served, 'lookup', { query })
  return (found?.items ?? [])
    .filter(({ kind }: Answered) => kind !== 'account' || !around.accountId)
    .map(toHit(looking))
}

const toHit =
  ({ served: { panel } }: Looking) =>
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
async function byId({ served, around }: Looking, id: string): Promise<Hit[]> {
  const { panel } = served
  const account = panel === 'admin' && (await readIfThere(served, 'getAccount', { params: { id } }))
  if (account) return [{ label: account.username, machine: true, kind: 'account', href: `/admin/accounts/${id}` }]
  const found = around.accountId
    ? await readIfThere(served, 'getJobForAccount', { params: { id: around.accountId, jid: id } })
    : await readIfThere(served, 'getJob', { params: { id } })
  return found ? [{ label: jobInWords(found.job.kind), kind: 'job', href: `/${panel}/jobs/${id}` }] : []
}
