import type { KeyObject } from 'node:crypto'
import type { Clock } from '../../../runtime/clock/clock.ts'
import { pause } from '../../../runtime/clock/interval.ts'
import { minute } from '../../../shared/time.ts'
import { type AcmeAnswer, type AcmeClient, retryAfterOf } from './client.ts'
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
const POLL_INTERVAL_MS = 1_000
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
  const ready = await finalized(client, order, { url, finalize })
  if (ready.status !== 'valid') throw refusalOf('The order failed', ready.error)
  const chain = await client.post(ready.certificate, undefined, 'The certificate could not be fetched')
  return chain.text
}

/**
 * Finalizes the order as soon as it is ready (RFC 8555, 7.4), which it may be only some time after its authorizations are
 * valid; returns it when it is no longer open.
 */
async function finalized(
  client: AcmeClient,
  order: Order,
  { url, finalize }: { url: string; finalize: string },
  // biome-ignore lint/suspicious/noExplicitAny: what a foreign server sent
): Promise<any> {
  const end = order.clock.now() + ORDER_TIMEOUT_MS
  const csr = order.request.toString('base64url')
  for (;;) {
    const ready = await settled(client, order, url, ['pending'], end)
    if (ready.status !== 'ready') break
    try {
      await client.post(finalize, { csr }, 'The certificate authority refused the signing request')
      break
    } catch (error) {
      const isEarly = error instanceof AcmeError && error.type === 'orderNotReady'
      if (!isEarly || order.clock.now() >= end) throw error
      await pause(order.clock, POLL_INTERVAL_MS, order.signal)
      order.signal.throwIfAborted()
    }
  }
  return settled(client, order, url, ['pending', 'ready', 'processing'], end)
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
  throw refusalOf(`${domain} could not be validated`, failed?.error, {
    domain,
    isByRecord: order.challenge === 'dns-01',
  })
}

/** Polls until the object has left these states, up to the time limit of an order. */
async function settled(
  client: AcmeClient,
  order: Order,
  url: string,
  open: readonly string[],
  end = order.clock.now() + ORDER_TIMEOUT_MS,
  // biome-ignore lint/suspicious/noExplicitAny: what a foreign server sent
): Promise<any> {
  for (;;) {
    const answer = await client.post(
      url,
      undefined,
      'The certificate authority does not report the status of the order',
    )
    if (!open.includes(answer.json?.status)) return answer.json ?? {}
    const left = end - order.clock.now()
    if (left <= 0) throw new AcmeError('The certificate authority took longer than 90 seconds; try again')
    await pause(order.clock, Math.min(waitOf(answer, order.clock.now()), left), order.signal)
    order.signal.throwIfAborted()
  }
}

const waitOf = (answer: AcmeAnswer, now: number): number =>
  Math.max(retryAfterOf(answer, now) ?? POLL_INTERVAL_MS, POLL_INTERVAL_MS)
