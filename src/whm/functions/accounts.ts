import { Failure } from '../failure.ts'
import { findAccountOrDomain } from '../find.ts'
import type { Call, WhmFunction } from '../function.ts'
import { allOf, freePage } from '../pages.ts'
import { matcher } from '../pattern.ts'
import { type AccountRecord, accountRow } from '../rows.ts'
import type { Session } from '../server.ts'

const gone = 'Account does not exist'

export const accountsummary: WhmFunction = {
  name: 'accountsummary',
  needs: ['getAccount'],
  shape: 'read',
  nothing: { acct: null },
  async run(call) {
    const { id } = await findAccountOrDomain(call, () => gone)
    const account = await call.session.perform('getAccount', { params: { id } })
    if (account.status === 'terminating') throw new Failure(gone)
    return { data: { acct: [accountRow(account)] } }
  },
}

export const listaccts: WhmFunction = {
  name: 'listaccts',
  needs: ['listAccounts'],
  shape: 'read',
  run: async (call) => ({ data: { acct: (await accountsOf(call)).map(accountRow) } }),
}

/** The fields of `searchtype`. */
const searched: Readonly<Record<string, (account: AccountRecord) => string>> = {
  user: ({ username }) => username,
  domain: ({ main_domain }) => main_domain,
  owner: ({ owner_name }) => owner_name,
  ip: ({ ip_address }) => ip_address,
  package: ({ package_name }) => package_name,
}

/** The accounts matching a request, by default all. Those being terminated count as gone. */
export async function accountsOf({ parameters, session }: Call): Promise<AccountRecord[]> {
  const type = parameters.filled('searchtype') ?? 'user'
  const field = searched[Object.hasOwn(searched, type) ? type : 'user']!
  const matches = matcher(parameters.text('search') ?? '', parameters.text('searchmethod'))
  const accounts = await allOf((query) => session.perform('listAccounts', { query }))
  return accounts.filter((account) => account.status !== 'terminating' && matches(field(account)))
}

export const get_domain_info: WhmFunction = {
  name: 'get_domain_info',
  needs: ['listAccounts', 'listDomains'],
  shape: 'read',
  async run({ session }) {
    const accounts = await allOf((query) => session.perform('listAccounts', { query }))
    const domains = []
    for (const { id, username, status } of accounts)
      if (status !== 'terminating') domains.push(...(await domainsOf(session, id, username)))
    return { data: { domains } }
  },
}

async function domainsOf(session: Session, id: string, user: string) {
  const domains = await allOf((query) => session.perform('listDomains', { params: { id }, query }), freePage)
  return domains.map(({ name, kind }) => ({ domain: name, user, domain_type: kind }))
}
