import type { Privilege } from '../../contract/common.ts'
import { Failure } from '../failure.ts'
import { findAccount, findAccountOrDomain, findPackage } from '../find.ts'
import { type Call, carriedOut, required, type WhmFunction } from '../function.ts'
import { limitsIn } from '../limits.ts'
import type { AccountRecord } from '../rows.ts'
import { findIp } from './ips.ts'

const unknown = (user: string): string => `Unable to fetch the cPanel user file for ${user}`

export const modifyacct: WhmFunction = {
  name: 'modifyacct',
  needs: ['updateAccount'],
  shape: 'change',
  async run(call) {
    const { id, username } = await findAccount(call, unknown)
    const body = changesIn(call)
    const plan = call.parameters.filled('plan')
    const package_id = plan && (await findPackage(call, plan, 'Specified package does not exist.'))
    const done = package_id ? await modify(call, id, { package_id, body }) : await change(call, id, body)
    return { statusmsg: `Account ${username} modified`, ...done }
  },
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

type AccountChanges = ReturnType<typeof changesIn>

interface Modification {
  readonly package_id: string
  readonly body: AccountChanges
}

/** All or nothing: the part refused more often comes first, and is undone if the package is refused. */
async function modify(call: Call, id: string, { package_id, body }: Modification) {
  const { session } = call
  const move = () => session.perform('changeAccountPackage', { params: { id }, body: { package_id } })
  if (Object.keys(body).length === 0) return carriedOut(call, (await move()).job_id)
  const before = await session.perform('getAccount', { params: { id } })
  await session.perform('updateAccount', { params: { id }, body })
  try {
    await move()
  } catch (error) {
    await session.perform('updateAccount', { params: { id }, body: asBefore(before, body) })
    throw error
  }
  return change(call, id, ofPackages(body))
}

/** Restores absent limits as null. */
function asBefore(account: AccountRecord, body: AccountChanges): AccountChanges {
  const was: Record<string, unknown> = { ...account, domain: account.main_domain }
  return Object.fromEntries(Object.keys(body).map((name) => [name, was[name] ?? null]))
}

/** A package sets its own limits, CGI and shell: values given with it are applied on top. */
function ofPackages({ username, domain, contact_email, locale, ...rest }: AccountChanges): AccountChanges {
  return rest
}

async function change(call: Call, id: string, body: object) {
  const { job_id } = await call.session.perform('updateAccount', { params: { id }, body })
  return carriedOut(call, job_id)
}

/** A function that changes one limit of an account. */
const limiting = (name: string, parameter: 'quota' | 'bwlimit', privilege: Privilege): WhmFunction => ({
  name,
  needs: ['updateAccount'],
  privilege,
  shape: 'change',
  async run(call) {
    const { id } = await findAccount(call, unknown)
    if (call.parameters.text(parameter) === undefined) throw new Failure(`The parameter “${parameter}” is required.`)
    const { disk_quota_mb, bw_limit_mb } = limitsIn(call.parameters)
    return change(call, id, parameter === 'quota' ? { disk_quota_mb } : { bw_limit_mb })
  },
})

export const editquota = limiting('editquota', 'quota', 'quota')
export const limitbw = limiting('limitbw', 'bwlimit', 'limit-bandwidth')

export const setsiteip: WhmFunction = {
  name: 'setsiteip',
  needs: ['updateAccount', 'listIps'],
  shape: 'change',
  async run(call) {
    const { id } = await findAccountOrDomain(call, unknown)
    return change(call, id, { ip_id: await findIp(call, required(call, 'ip')) })
  },
}
