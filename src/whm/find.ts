import { Failure } from './failure.ts'
import { type Call, required } from './function.ts'

export interface FindRow {
  readonly id: string
  readonly username: string
}

type Words = (user: string) => string

/** The account that `user` names exactly; fails with the function's own message. */
export async function findAccount(call: Call, unknown: Words): Promise<FindRow> {
  const user = required(call, 'user')
  return (await byName(call, user)) ?? missing(unknown(user.toLowerCase()))
}

/** For the few functions that accept a domain instead of a user. */
export async function findAccountOrDomain(call: Call, unknown: Words): Promise<FindRow> {
  const domain = call.parameters.filled('domain')
  if (domain === undefined || call.parameters.filled('user') !== undefined) return findAccount(call, unknown)
  return (await byDomain(call, domain)) ?? missing(unknown(domain.toLowerCase()))
}

function missing(reason: string): never {
  throw new Failure(reason)
}

/** Names are compared in full and in lower case: some clients send mixed case, then lower. */
export async function byName({ session }: Call, user: string): Promise<FindRow | undefined> {
  const name = user.toLowerCase()
  const [found] = await lookUp(session, name, 'account')
  return found && { id: found.id, username: found.name }
}

async function byDomain({ session }: Call, domain: string): Promise<FindRow | undefined> {
  const [found] = await lookUp(session, domain.toLowerCase(), 'domain')
  return found?.account_id && found.username ? { id: found.account_id, username: found.username } : undefined
}

/** A package by its exact name; a reseller's own also without its prefix. */
export async function findPackage({ session }: Call, name: string, unknown: string): Promise<string> {
  const names = session.reseller ? [name, prefixed(session.user, name)] : [name]
  for (const requested of names) {
    const [found] = await lookUp(session, requested, 'package')
    if (found) return found.id
  }
  throw new Failure(unknown)
}

/** A reseller's packages have its name as a prefix, as in WHM. */
export const prefixed = (reseller: string, name: string): string =>
  name.startsWith(`${reseller}_`) ? name : `${reseller}_${name}`

const MAX_NAME_LENGTH = 253

async function lookUp(session: Call['session'], name: string, kind: 'account' | 'domain' | 'package') {
  if (name.length > MAX_NAME_LENGTH) return []
  const { items } = await session.perform('lookup', { query: { name, kind } })
  return items
}
