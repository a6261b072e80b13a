import { isIP } from 'node:net'
import { invalid } from '../../contract/problem.ts'
import { label } from '../../shared/patterns.ts'

const hostname = new RegExp(`^(?!(?:.*\\.)?\\d+$)${label}(?:\\.${label})*$`)

export function refuseAddresses(addresses: readonly string[] = []): void {
  const wrong = addresses.find((address) => isIP(address) === 0 && !hostname.test(address))
  if (wrong !== undefined)
    throw invalid('addresses', `${wrong} must be an IP address or a lower-case host name, such as 192.0.2.12`)
}

/** Drops duplicates. */
export const distinct = <Body extends object>(body: Body): Body =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)] : value]),
  ) as Body
