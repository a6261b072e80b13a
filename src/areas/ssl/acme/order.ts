import type { KeyObject } from 'node:crypto'
import type { Clock } from '../../../runtime/clock/clock.ts'
import { pause } from '../../../runtime/clock/interval.ts'
import { minute } from '../../../shared/time.ts'
import type { AcmeAnswer, AcmeClient } from './client.ts'
import { AcmeError, refusalOf } from './error.ts'
import { keyAuthorization, txtValue } from './jws.ts'

export type Challenge = 'http-01' | 'dns-01'

/** A proof of control: a file below the site, or a TXT record. */
export interface Proof {
  readonly domain: string
  readonly token: string
  /** The file's content. */
  readonly content: string
  /** The value of the record at `_acme-challenge`. */
  readonly txt: string
}

export interface Order {
  readonly names: readonly string[]
  readonly challenge: Challenge
  /** The signing request in DER. */
  readonly request: Buffer
  readonly accountKey: KeyObject
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Publishes the proofs. */
  readonly publish: (proofs: readonly Proof[]) => Promise<void>
}

const ORDER_TIMEOUT_MS = 1.5 * minute
const MAX_POLL_INTERVAL_MS = 10_000
const token = /^[A-Za-z0-9_-]{1,128}$/

/** Orders a certificate and returns its chain in PEM. The caller removes the published proofs. */
export async function orderCertificate(client: AcmeClient, order: Order): Promise<string> {
  const identifiers = order.names.map((value) => ({ type: 'dns', value }))
  const made = await client.post(client.newOrder, { identifiers }, 'The certificate authority refused the order')
  const { authorizations, finalize } = made.json ?? {}
  const url = made.headers['location']
  if (url === undefined || !Array.isArray(authorizations))
    throw new AcmeError('The certificate authority returned an invalid order')
  await prove(client, order, authorizations)
  const csr = order.request.toString('base64url')
  await client.post(finalize, { csr }, 'The certificate authority refused the signing request')
  const ready = await settled(client, order, url, ['pending', 'ready', 'processing'])
  if (ready.status !== 'valid') throw refusalOf('The order failed', ready.error)
  const chain = await client.post(ready.certificate, undefined, 'The certificate could not be fetched')
  return chain.text
}

interface AuthorizationRequest {
  readonly url: string
  readonly challengeUrl: string
  readonly proof: Proof
}

async function prove(client: AcmeClient, order: Order, authorizations: readonly string[]): Promise<void> {
  const open: AuthorizationRequest[] = []
  for (const url of authorizations) {
    const { json } = await client.post(url, undefined, 'The certificate authority did not return the authorization')
    if (json?.status !== 'valid') open.push(authorization(order, url, json))
  }
  if (open.length === 0) return
  await order.publish(open.map(({ proof }) => proof))
  for (const { challengeUrl, proof } of open)
    await client.post(challengeUrl, {}, `The certificate authority does not check ${proof.domain}`)
  for (const { url, proof } of open) await proven(client, order, url, proof.domain)
}

// biome-ignore lint/suspicious/noExplicitAny: what a foreign server sent
function authorization(order: Order, url: string, authorization: any): AuthorizationRequest {
  const { identifier, wildcard, challenges } = authorization ?? {}
  const domain = String(identifier?.value)
  const challenge = (challenges as { type: string; url: string; token: string }[] | undefined)?.find(
    ({ type }) => type === order.challenge,
  )
  if (!order.names.includes(wildcard ? `*.${domain}` : domain))
    throw new AcmeError('The certificate authority asks for other names than were ordered')
  if (!challenge)
    throw new AcmeError(`The certificate authority offers no ${order.challenge} for ${domain}`, { domain })
  if (!token.test(challenge.token)) throw new AcmeError(`The certificate authority sent an invalid token for ${domain}`)
  const content = keyAuthorization(order.accountKey, challenge.token)
  return {
    url,
    challengeUrl: challenge.url,
    proof: { domain, token: challenge.token, content, txt: txtValue(content) },
  }
}

async function proven(client: AcmeClient, order: Order, url: string, domain: string): Promise<void> {
  const { status, challenges } = await settled(client, order, url, ['pending', 'processing'])
  if (status === 'valid') return
  const failed = (challenges as { error?: object }[] | undefined)?.find(({ error }) => error)
  throw refusalOf(`${domain} could not be validated`, failed?.error, domain)
}

/** Polls until the object has left these states, up to the time limit of an order. */
// biome-ignore lint/suspicious/noExplicitAny: what a foreign server sent
async function settled(client: AcmeClient, order: Order, url: string, open: readonly string[]): Promise<any> {
  const end = order.clock.now() + ORDER_TIMEOUT_MS
  for (;;) {
    const answer = await client.post(
      url,
      undefined,
      'The certificate authority does not report the status of the order',
    )
    if (!open.includes(answer.json?.status)) return answer.json ?? {}
    if (order.clock.now() >= end)
      throw new AcmeError('The certificate authority took longer than 90 seconds; try again')
    await pause(order.clock, waitOf(answer), order.signal)
    order.signal.throwIfAborted()
  }
}

function waitOf({ headers }: AcmeAnswer): number {
  const seconds = Number(headers['retry-after'] ?? 1)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds * 1000, 1000), MAX_POLL_INTERVAL_MS) : 1000
}
