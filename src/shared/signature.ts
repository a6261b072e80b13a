import { createHmac, timingSafeEqual } from 'node:crypto'

const prefix = 'whsec_'
const tolerance = 300

/** `sha256=<hex>`: HMAC-SHA256 of `<timestamp>.<body>`, keyed with the whole secret as text (contract: Signature). */
export const panelSignature = (secret: string, timestamp: number, body: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`

/** `v1,<base64>`: HMAC-SHA256 of `<id>.<timestamp>.<body>`, keyed with the bytes the secret encodes (Standard Webhooks). */
export const standardSignature = (secret: string, id: string, timestamp: number, body: string | Buffer): string => {
  const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

/** A webhook's signing secret, and the former one during its grace period. */
export interface SigningSecrets {
  readonly secret: string
  readonly former?: string | undefined
}

export interface Signed {
  readonly event: string
  readonly type: string
  /** The attempt's number. */
  readonly number: number
  /** Unix time in seconds. */
  readonly timestamp: number
  readonly body: string | Buffer
}

/** Every header of a delivery (contract: Webhook delivery, and Standard Webhooks). */
export function deliveryHeaders({ secret, former }: SigningSecrets, sent: Signed): Record<string, string> {
  const { event, timestamp, body } = sent
  const secrets = former === undefined ? [secret] : [secret, former]
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Panel-Webhooks/1',
    'X-Panel-Event': sent.type,
    'X-Panel-Delivery': `${event}-${sent.number}`,
    'X-Panel-Timestamp': String(timestamp),
    'X-Panel-Signature': panelSignature(secret, timestamp, body),
    'webhook-id': event,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((one) => standardSignature(one, event, timestamp, body)).join(' '),
  }
}

/** Whether a delivery is genuine and not over 300 seconds old; `now` is Unix time in seconds. */
export function isGenuine(
  secret: string,
  headers: { readonly timestamp: string; readonly signature: string },
  body: string | Buffer,
  now: number,
): boolean {
  const timestamp = Number(headers.timestamp)
  if (!Number.isInteger(timestamp) || Math.abs(now - timestamp) > tolerance) return false
  const expected = Buffer.from(panelSignature(secret, timestamp, body))
  const signature = Buffer.from(headers.signature)
  return expected.length === signature.length && timingSafeEqual(expected, signature)
}
