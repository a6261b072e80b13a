import { Problem } from '../../contract/problem.ts'
import { Failure } from '../failure.ts'
import { byName, type FindRow } from '../find.ts'
import { type Call, carriedOut, required, type WhmFunction } from '../function.ts'
import { allOf } from '../pages.ts'

/** The account that `user` or `reseller` names. */
async function resellerIn(call: Call): Promise<FindRow> {
  const user = call.parameters.filled('reseller') ?? required(call, 'user')
  const found = await byName(call, user)
  if (!found) throw new Failure(`The reseller “${user.toLowerCase()}” does not exist.`)
  return found
}

export const listresellers: WhmFunction = {
  name: 'listresellers',
  needs: ['listResellers'],
  shape: 'bare',
  async run({ session }) {
    const resellers = await allOf((query) => session.perform('listResellers', { query }))
    return { data: { reseller: resellers.map(({ username }) => username) } }
  },
}

/** Some clients call it right after creating an account as a reseller. */
export const setupreseller: WhmFunction = {
  name: 'setupreseller',
  needs: ['lookup', 'createReseller'],
  shape: 'change',
  async run(call) {
    const { id } = await resellerIn(call)
    try {
      await call.session.perform('createReseller', { body: { account_id: id } })
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'exists')) throw error
    }
    return {}
  },
}

export const unsetupreseller: WhmFunction = {
  name: 'unsetupreseller',
  needs: ['lookup', 'removeReseller'],
  shape: 'change',
  async run(call) {
    const { id } = await resellerIn(call)
    await call.session.perform('removeReseller', { params: { id } })
    return {}
  },
}

export const setacls: WhmFunction = {
  name: 'setacls',
  needs: ['lookup', 'setResellerAcl', 'listAcls', 'getReseller'],
  shape: 'change',
  async run(call) {
    const { id } = await resellerIn(call)
    const name = call.parameters.filled('acllist')
    const { acl } = name ? await give(call, id, name) : await call.session.perform('getReseller', { params: { id } })
    return { data: { acl } }
  },
}

async function give({ session }: Call, id: string, name: string) {
  const lists = await allOf((query) => session.perform('listAcls', { query }))
  const list = lists.find((known) => known.name === name)
  if (!list) throw new Failure(`The ACL list “${name}” does not exist.`)
  return session.perform('setResellerAcl', { params: { id }, body: { acl_id: list.id } })
}

/** WHM suspends the reseller's own account too, and clients check that one. */
export const suspendreseller: WhmFunction = {
  name: 'suspendreseller',
  needs: ['lookup', 'suspendReseller', 'suspendAccount'],
  shape: 'change',
  async run(call) {
    const { id } = await resellerIn(call)
    const body = { reason: (call.parameters.filled('reason') ?? 'Unknown').slice(0, 500) }
    await call.session.perform('suspendReseller', { params: { id }, body })
    const { job_id } = await call.session.perform('suspendAccount', { params: { id }, body })
    return carriedOut(call, job_id)
  },
}

export const unsuspendreseller: WhmFunction = {
  name: 'unsuspendreseller',
  needs: ['lookup', 'unsuspendReseller', 'unsuspendAccount'],
  shape: 'change',
  async run(call) {
    const { id } = await resellerIn(call)
    await call.session.perform('unsuspendReseller', { params: { id } })
    const { job_id } = await call.session.perform('unsuspendAccount', { params: { id } })
    return carriedOut(call, job_id)
  },
}

/** Its other accounts would lose their owner, so they must be gone first. */
export const terminatereseller: WhmFunction = {
  name: 'terminatereseller',
  needs: ['lookup', 'getReseller', 'terminateAccount'],
  shape: 'change',
  async run(call) {
    const { id, username } = await resellerIn(call)
    const others = (await ownedBy(call, username)).filter((account) => account.id !== id)
    if (others.length > 0) throw new Failure(`The reseller “${username}” still owns ${others.length} accounts.`)
    const query = { confirm: username }
    const { job_id } = await call.session.perform('terminateAccount', { params: { id }, query })
    return carriedOut(call, job_id)
  },
}

async function ownedBy({ session }: Call, owner: string) {
  const accounts = await allOf((query) => session.perform('listAccounts', { query }))
  return accounts.filter(({ owner_name, status }) => owner_name === owner && status !== 'terminating')
}

export const acctcounts: WhmFunction = {
  name: 'acctcounts',
  needs: ['lookup', 'getReseller', 'listAccounts'],
  shape: 'read',
  async run(call) {
    const { id, username } = await resellerIn(call)
    const { max_accounts } = await call.session.perform('getReseller', { params: { id } })
    const owned = await ownedBy(call, username)
    const suspended = owned.filter(({ suspended_at }) => suspended_at !== undefined).length
    const reseller = { account: username, active: owned.length - suspended, suspended, limit: max_accounts ?? '' }
    return { data: { reseller } }
  },
}

export const resellerstats: WhmFunction = {
  name: 'resellerstats',
  needs: ['lookup', 'getReseller', 'listAccounts'],
  shape: 'read',
  async run(call) {
    const { id, username } = await resellerIn(call)
    const { max_disk_mb = 0, max_bw_mb = 0 } = await call.session.perform('getReseller', { params: { id } })
    const owned = await ownedBy(call, username)
    const diskused = owned.reduce((sum, { disk_used_mb }) => sum + disk_used_mb, 0)
    const totalbwused = owned.reduce((sum, { bw_used_month_mb }) => sum + bw_used_month_mb, 0)
    return { data: { reseller: { diskused, diskquota: max_disk_mb, totalbwused, bandwidthlimit: max_bw_mb } } }
  },
}

export const setresellerlimits: WhmFunction = {
  name: 'setresellerlimits',
  needs: ['lookup', 'updateReseller'],
  shape: 'change',
  async run(call) {
    const { id } = await resellerIn(call)
    await call.session.perform('updateReseller', { params: { id }, body: limitsOf(call) })
    return {}
  },
}

/** A disabled flag means no limit, whatever the number. */
function limitsOf({ parameters }: Call): object {
  const overselling = parameters.flag('enable_overselling')
  return {
    ...bound(parameters, 'max_accounts', 'enable_account_limit', 'account_limit'),
    ...bound(parameters, 'max_disk_mb', 'enable_resource_limits', 'diskspace_limit'),
    ...bound(parameters, 'max_bw_mb', 'enable_resource_limits', 'bandwidth_limit'),
    ...(overselling === undefined ? {} : { overselling }),
  }
}

function bound(parameters: Call['parameters'], field: string, enabled: string, name: string): object {
  if (parameters.flag(enabled) === false && parameters.text(enabled) !== '') return { [field]: null }
  const text = parameters.filled(name)
  if (text === undefined) return {}
  if (!/^\d{1,10}(\.\d+)?$/.test(text)) throw new Failure(`“${text}” is not a number for “${name}”.`)
  return { [field]: Math.floor(Number(text)) }
}
