import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'

const base64url = (data: string | Buffer): string => Buffer.from(data).toString('base64url')

/** The public part of an account's key, with members in thumbprint order. */
function jwkOf(key: KeyObject) {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
  return { crv, kty, x, y }
}

export interface Signed {
  readonly url: string
  readonly nonce: string
  /** The account's URL; without one the key itself is sent. */
  readonly kid: string | undefined
  /** Undefined: POST-as-GET. */
  readonly payload: object | undefined
}

/** A request signed as in RFC 8555, with a P-256 key. */
export function jws(key: KeyObject, { url, nonce, kid, payload }: Signed): string {
  const head = { alg: 'ES256', nonce, url, ...(kid === undefined ? { jwk: jwkOf(key) } : { kid }) }
  const [head64, payload64] = [base64url(JSON.stringify(head)), payload ? base64url(JSON.stringify(payload)) : '']
  const signature = sign('sha256', Buffer.from(`${head64}.${payload64}`), { key, dsaEncoding: 'ieee-p1363' })
  return JSON.stringify({ protected: head64, payload: payload64, signature: base64url(signature) })
}

/** The response to a challenge: its token and the account's key thumbprint. */
export const keyAuthorization = (key: KeyObject, token: string): string =>
  `${token}.${createHash('sha256')
    .update(JSON.stringify(jwkOf(key)))
    .digest('base64url')}`

/** The same, as a TXT record's value. */
export const txtValue = (authorization: string): string =>
  createHash('sha256').update(authorization).digest('base64url')
