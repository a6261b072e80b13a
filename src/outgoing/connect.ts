import { isIP, type LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import type { Reach } from './address.ts'
import { readLeniently } from './answer-head.ts'
import { OutgoingError } from './error.ts'
import { type Allows, relayHost } from './policy.ts'
import type { Resolve } from './resolve.ts'

export interface Guards {
  readonly resolve: Resolve
  readonly allows: Allows
  readonly panelPorts: () => readonly number[]
  /** Certificates trusted besides Node's own. */
  readonly ca?: string
  /** Where pages are visited, instead of 443. */
  readonly visitPort?: () => number
}

type Build = typeof buildConnector

const CONNECT_TIMEOUT_MS = 10_000
const defaultPorts: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }

/**
 * Connects only where the policy allows: checks literals and every address of a name before, and the connected socket's
 * address after. Names are resolved once, and only checked addresses are connected to.
 */
export function guardedConnector(build: Build, guards: Guards, reach: Reach): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port) || defaultPorts[options.protocol] || 0
    const isRelay = reach === 'private' && options.protocol === 'http:' && options.hostname === relayHost
    const allowed = (address: string | undefined): boolean => {
      if (address === undefined) return false
      return isRelay
        ? address === relayHost && !guards.panelPorts().includes(port)
        : options.protocol === 'https:' && guards.allows(address, port, reach)
    }
    checked(options.hostname, guards.resolve, allowed).then(
      (addresses) => connect(build, options, addresses, guards, allowed, callback),
      (error: Error) => callback(error, null),
    )
  }
}

/** The addresses of a host; throws unless all may be connected to. */
export async function checked(
  host: string,
  resolve: Resolve,
  allowed: (address: string | undefined) => boolean,
): Promise<string[]> {
  const addresses = isIP(host) ? [host] : await lookedUp(host, resolve)
  if (addresses.length === 0 || !addresses.every(allowed)) throw new OutgoingError('blocked-address')
  return addresses
}

async function lookedUp(name: string, resolve: Resolve): Promise<string[]> {
  try {
    return await resolve(name)
  } catch (error) {
    throw new OutgoingError('dns', error)
  }
}

function connect(
  build: Build,
  options: buildConnector.Options,
  addresses: readonly string[],
  { ca }: Guards,
  allowed: (address: string | undefined) => boolean,
  callback: buildConnector.Callback,
): void {
  const base = build({
    lookup: answering(addresses),
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    ...(ca === undefined ? {} : { ca }),
  })
  base(options, (...[error, socket]) => {
    if (error) return callback(error, null)
    if (allowed(socket.remoteAddress)) {
      readLeniently(socket)
      return callback(null, socket)
    }
    socket.destroy()
    callback(new OutgoingError('blocked-address'), null)
  })
}

const answering = (addresses: readonly string[]): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, options, callback) =>
    options.all ? callback(null, all) : callback(null, all[0]!.address, all[0]!.family)
}
