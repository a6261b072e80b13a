import { isIP } from 'node:net'
import { type Reach, reachableAddress, reachablePort } from '../../outgoing/address.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { isFront } from '../../runtime/settings/server-names.ts'

const relay = /^http:\/\/127\.0\.0\.1(?::(\d{1,5}))?(?:[/?]|$)/
const notWritten = /[\p{C}\p{Z}\\]/u
const localNames = new Set(['localhost', 'localdomain'])
const internalNames = new Set(['local', 'internal', 'arpa', 'intranet', 'lan', 'home', 'corp', 'onion'])

/** This server's own addresses. */
export interface OwnAddresses {
  readonly hostname: string
  readonly panelPorts: readonly number[]
}

/** The panel's own addresses: no request of a user's may go there. */
export function ownAddresses({ hostname, baseUrl, store }: Runtime): OwnAddresses {
  const { port, protocol } = new URL(baseUrl)
  const own = Number(port) || (protocol === 'http:' ? 80 : 443)
  return { hostname, panelPorts: isFront(store) ? [own, 443] : [own] }
}

/**
 * Why a webhook's URL is invalid, undefined if it is valid. Checks form and literal addresses only: names are resolved
 * and checked at connection time.
 */
export function urlProblem(text: string, reach: Reach, own: OwnAddresses): string | undefined {
  if (notWritten.test(text)) return 'must not contain spaces, control characters or backslashes'
  if (relay.test(text)) return relayProblem(text, reach, own)
  if (!/^https:\/\/[^/?#]/i.test(text)) return 'must begin with https://'
  const url = parsed(text)
  if (!url) return 'is not a valid URL'
  if (url.username !== '' || url.password !== '' || authorityOf(text).includes('@'))
    return 'must not contain a username or password'
  if (text.includes('#')) return 'must not contain a fragment (#)'
  return portProblem(url, reach) ?? hostProblem(url, reach, own)
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

const authorityOf = (text: string): string => /^https:\/\/([^/?#]*)/i.exec(text)?.[1] ?? ''

function relayProblem(text: string, reach: Reach, own: OwnAddresses): string | undefined {
  if (reach === 'public') return 'must begin with https:// and point to a public address'
  const url = parsed(text)
  if (!url || url.port === '0' || text.includes('#')) return 'is not a valid URL'
  return own.panelPorts.includes(portOf(url)) ? 'must not point to the panel itself' : undefined
}

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'http:' ? 80 : 443)

function portProblem(url: URL, reach: Reach): string | undefined {
  const allowed = url.port === '' || reachablePort(Number(url.port), reach)
  return allowed
    ? undefined
    : `must not use port ${url.port}; use 443, or a port from 1024 up that no other protocol uses`
}

function hostProblem(url: URL, reach: Reach, own: OwnAddresses): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isIP(host)) return reachableAddress(host, reach) ? undefined : addressProblem(reach)
  const last = host.slice(host.lastIndexOf('.') + 1)
  if (!host.includes('.') || localNames.has(last) || (reach === 'public' && internalNames.has(last)))
    return 'must point to a public host'
  const isPanel = host === own.hostname.toLowerCase() && own.panelPorts.includes(portOf(url))
  return isPanel ? 'must not point to the panel itself' : undefined
}

const addressProblem = (reach: Reach): string =>
  reach === 'public'
    ? 'must point to a public address'
    : 'must not point to this address; a relay on the server itself is http://127.0.0.1:<port>/'
