import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'

const base64url = (data: string | Buffer): string => Buffer.from(data).toString('base64url')

/** The public half of an account's key, its members in the order that a thumbprint asks for. */
function jwkOf(key: KeyObject) {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
  return { crv, kty, x, y }
}

export interface Signed {
  readonly url: string
  readonly nonce: string
  /** The account's address; without one the key itself is sent. */
  readonly kid: string | undefined
  /** None: a POST that reads. */
  readonly payload: object | undefined
}

/** A request as RFC 8555 signs it, with a key on P-256. */
export function jws(key: KeyObject, { url, nonce, kid, payload }: Signed): string {
  const head = { alg: 'ES256', nonce, url, ...(kid === undefined ? { jwk: jwkOf(key) } : { kid }) }
  const [head64, payload64] = [base64url(JSON.stringify(head)), payload ? base64url(JSON.stringify(payload)) : '']
  const signature = sign('sha256', Buffer.from(`${head64}.${payload64}`), { key, dsaEncoding: 'ieee-p1363' })
  return JSON.stringify({ protected: head64, payload: payload64, signature: base64url(signature) })
}

/** What answers a challenge: its token, and who asked for it. */
export const keyAuthorization = (key: KeyObject, token: string): string =>
  `${token}.${createHash('sha256')
    .update(JSON.stringify(jwkOf(key)))
    .digest('base64url')}`

/** The same as the value of a TXT record. */
export const txtValue = (authorization: string): string =>
  createHash('sha256').update(authorization).digest('base64url')
