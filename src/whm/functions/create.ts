import { locales, mailRoutings } from '../../contract/accounts.ts'
import { Problem } from '../../contract/problem.ts'
import { Failure, reasonOf } from '../failure.ts'
import { byName, findPackage } from '../find.ts'
import { type Call, carriedOut, required, type WhmFunction } from '../function.ts'
import { limitsIn, type WhmLimits } from '../limits.ts'
import { findIp } from './ips.ts'

const places = ['nameserver', 'nameserver2', 'nameserver3', 'nameserver4'] as const

/** The nameservers of a main domain's zone; empty without a zone or without access to it. */
async function nameserversOf(call: Call, id: string, domain: string) {
  const hosts = await hostsOf(call, id, domain)
  return Object.fromEntries(places.map((place, at) => [place, hosts[at] ?? '']))
}

/** The account exists by now: failing to read more must not fail the call. */
async function hostsOf({ session }: Call, id: string, domain: string): Promise<readonly string[]> {
  if (session.denial('listDnsZones')) return []
  try {
    const { items } = await session.perform('listDnsZones', { params: { id }, query: { q: domain } })
    return items.find(({ name }) => name === domain)?.nameservers ?? []
  } catch (error) {
    if (error instanceof Problem) return []
    throw error
  }
}

export const createacct: WhmFunction = {
  name: 'createacct',
  needs: ['createAccount'],
  shape: 'change',
  async run(call) {
    const limits = limitsIn(call.parameters)
    const body = await bodyOf(call)
    const { account, job_id } = await create(call, body)
    const pending = await carriedOut(call, job_id)
    const warnings = await limit(call, account.id, limits)
    const { username: user, main_domain: domain, ip_address: ip, package_name } = account
    const nameservers = await nameserversOf(call, account.id, domain)
    return {
      reason: 'Account Creation Ok',
      data: { ip, package: package_name, ...nameservers, user, domain },
      ...pending,
      warnings,
    }
  },
}

/** Translates WHM's request into the panel's. */
async function bodyOf(call: Call) {
  const { parameters } = call
  const plan = parameters.filled('plan')
  return {
    username: required(call, 'user'),
    domain: required(call, 'domain'),
    ...optional('password', parameters.secret('password')),
    ...optional('contact_email', parameters.filled('contactemail')),
    ...optional('package_id', plan && (await findPackage(call, plan, `Sorry, “${plan}” is not a valid package name.`))),
    ...optional('owner_id', await ownerOf(call)),
    ...optional('ip_id', await ipOf(call)),
    ...optional('cgi', parameters.flag('cgi')),
    ...(parameters.flag('reseller') ? { make_reseller: true } : {}),
    ...(parameters.flag('hasshell') ? { shell: '/bin/bash' } : {}),
    ...optional(
      'locale',
      locales.find((locale) => locale === parameters.text('language')),
    ),
    ...optional('mail_routing', routingOf(parameters.filled('mxcheck'))),
  }
}

const optional = (name: string, value: unknown): object =>
  value === undefined || value === '' ? {} : { [name]: value }

function routingOf(mxcheck: string | undefined): string | undefined {
  const routing = mxcheck === 'secondary' ? 'backup' : mxcheck
  return mailRoutings.find((known) => known === routing)
}

/** For root, no owner is required; a reseller's accounts are its own, whatever the client sends. */
async function ownerOf(call: Call): Promise<string | undefined> {
  const owner = call.parameters.filled('owner')?.toLowerCase()
  if (owner === undefined || owner === 'root' || owner === call.session.user) return undefined
  const found = await byName(call, owner)
  if (!found) throw new Failure(`The owner “${owner}” does not exist.`)
  return found.id
}

const ipOf = async (call: Call): Promise<string | undefined> => {
  const address = call.parameters.filled('customip')
  return address && (await findIp(call, address))
}

async function create({ session, parameters }: Call, body: object) {
  try {
    return await session.perform('createAccount', { body })
  } catch (error) {
    if (error instanceof Problem && error.fields?.['username']?.startsWith('is taken'))
      throw new Failure(alreadyThere(parameters.text('user')!))
    throw error
  }
}

/** Some clients choose another name when they read `already has`. */
export const alreadyThere = (user: string): string =>
  `This system already has an account named “${user.toLowerCase()}”.`

/**
 * Sets limits besides the package's. The account exists by now: a refusal is only a warning, since after a failure
 * clients would create it again.
 */
async function limit(call: Call, id: string, limits: WhmLimits): Promise<string[]> {
  if (Object.keys(limits).length === 0) return []
  try {
    const { job_id } = await call.session.perform('updateAccount', { params: { id }, body: limits })
    await carriedOut(call, job_id)
    return []
  } catch (error) {
    if (error instanceof Problem) return [reasonOf(error)]
    if (error instanceof Failure) return [error.message]
    throw error
  }
}
