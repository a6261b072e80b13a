import { Failure } from '../failure.ts'
import { type Found, findAccount, findPackage } from '../find.ts'
import { type Call, carriedOut, required, type WhmFunction } from '../function.ts'
import { limitsIn } from '../limits.ts'
import { findIp } from './ips.ts'

const unknown = (user: string): string => `Unable to fetch the cPanel user file for ${user}`

export const modifyacct: WhmFunction = {
  name: 'modifyacct',
  needs: ['updateAccount'],
  shape: 'change',
  async run(call) {
    const { id, username } = await modified(call)
    const body = changesIn(call)
    const plan = call.parameters.filled('plan')
    const package_id = plan && (await findPackage(call, plan, 'Specified package does not exist.'))
    const moved = package_id ? await move(call, id, package_id) : {}
    const changed = Object.keys(body).length > 0 || !package_id ? await change(call, id, body) : {}
    return { statusmsg: `Account ${username} modified`, ...moved, ...changed }
  },
}

/** Its `domain` is the new one: only `user` names the account. */
async function modified(call: Call): Promise<Found> {
  required(call, 'user')
  return findAccount(call, unknown)
}

function changesIn({ parameters }: Call): Record<string, unknown> {
  const named = {
    username: parameters.filled('newuser'),
    domain: parameters.filled('domain'),
    contact_email: parameters.filled('contactemail'),
    cgi: parameters.flag('hascgi') ?? parameters.flag('cgi'),
    locale: parameters.filled('locale'),
    shell: parameters.filled('shell'),
  }
  const present = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
  return { ...present, ...limitsIn(parameters) }
}

async function move(call: Call, id: string, package_id: string) {
  const { job_id } = await call.session.perform('changeAccountPackage', { params: { id }, body: { package_id } })
  return carriedOut(call, job_id)
}

async function change(call: Call, id: string, body: object) {
  const { job_id } = await call.session.perform('updateAccount', { params: { id }, body })
  return carriedOut(call, job_id)
}

/** A function that changes one limit of an account. */
const limiting = (name: string, parameter: 'quota' | 'bwlimit'): WhmFunction => ({
  name,
  needs: ['updateAccount'],
  shape: 'change',
  async run(call) {
    const { id } = await findAccount(call, unknown)
    if (call.parameters.text(parameter) === undefined) throw new Failure(`The parameter “${parameter}” is required.`)
    const { disk_quota_mb, bw_limit_mb } = limitsIn(call.parameters)
    return change(call, id, parameter === 'quota' ? { disk_quota_mb } : { bw_limit_mb })
  },
})

export const editquota = limiting('editquota', 'quota')
export const limitbw = limiting('limitbw', 'bwlimit')

export const setsiteip: WhmFunction = {
  name: 'setsiteip',
  needs: ['updateAccount', 'listIps'],
  shape: 'change',
  async run(call) {
    const { id } = await findAccount(call, unknown)
    return change(call, id, { ip_id: await findIp(call, required(call, 'ip')) })
  },
}
