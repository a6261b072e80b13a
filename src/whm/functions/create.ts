import { locales, mailRoutings } from '../../contract/accounts.ts'
import { Problem } from '../../contract/problem.ts'
import { Failure, reasonOf } from '../failure.ts'
import { byName, findPackage } from '../find.ts'
import { type Call, carriedOut, required, type WhmFunction } from '../function.ts'
import { type Limits, limitsIn } from '../limits.ts'
import { findIp } from './ips.ts'
import { nameserversOf } from './nameservers.ts'

export const createacct: WhmFunction = {
  name: 'createacct',
  needs: ['createAccount'],
  shape: 'change',
  async run(call) {
    const limits = limitsIn(call.parameters)
    const body = await wanted(call)
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
async function wanted(call: Call) {
  const { parameters } = call
  const plan = parameters.filled('plan')
  return {
    username: required(call, 'user'),
    domain: required(call, 'domain'),
    ...given('password', parameters.secret('password')),
    ...given('contact_email', parameters.filled('contactemail')),
    ...given('package_id', plan && (await findPackage(call, plan, `Sorry, “${plan}” is not a valid package name.`))),
    ...given('owner_id', await ownerOf(call)),
    ...given('ip_id', await ipOf(call)),
    ...given('cgi', parameters.flag('cgi')),
    ...(parameters.flag('reseller') ? { make_reseller: true } : {}),
    ...(parameters.flag('hasshell') ? { shell: '/bin/bash' } : {}),
    ...given(
      'locale',
      locales.find((locale) => locale === parameters.text('language')),
    ),
    ...given('mail_routing', routingOf(parameters.filled('mxcheck'))),
  }
}

const given = (name: string, value: unknown): object => (value === undefined || value === '' ? {} : { [name]: value })

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
async function limit(call: Call, id: string, limits: Limits): Promise<string[]> {
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
