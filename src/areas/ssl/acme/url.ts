import { AcmeError } from './error.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Why a URL cannot be an authority's, undefined if it can. */
export function addressProblem(address: string): string | undefined {
  if (!URL.canParse(address)) return 'must be a URL such as https://ca.example/directory'
  const { protocol, hostname, username, password } = new URL(address)
  if (username || password) return 'must not contain a user or a password'
  if (protocol === 'https:') return undefined
  return protocol === 'http:' && loopback.test(hostname) ? undefined : 'must begin with https://'
}

/** A directory may contain further URLs, which are checked too. */
export function refuseAddress(address: unknown): void {
  const problem = typeof address === 'string' ? addressProblem(address) : 'is missing'
  if (problem) throw new AcmeError(`An address that the certificate authority named ${problem}`)
}
