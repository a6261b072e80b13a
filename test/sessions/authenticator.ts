import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type { Json } from '../harness.ts'

type Cbor = number | string | Uint8Array | Map<Cbor, Cbor>

const head = (major: number, length: number): Buffer =>
  length < 24
    ? Buffer.from([(major << 5) | length])
    : length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 255])

/** As much of CBOR as an authenticator needs. */
function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap((pair) => pair.map(encode))])
}

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

interface Stored {
  readonly id: string
  readonly rpId: string
  readonly key: KeyObject
  readonly user: string
}

/** What a browser and its authenticator answer. */
export class Authenticator {
  readonly origin: string
  /** Whether it verifies its user. */
  verifies = true
  /** Added to its counter with each signature; 0 for passkeys that are synced. */
  step = 1
  count = 0
  readonly stored: Stored[] = []

  constructor(origin = 'https://host.example:7711') {
    this.origin = origin
  }

  /** navigator.credentials.create */
  create(options: Json, changed: { readonly rpId?: string; readonly origin?: string } = {}): Json {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = randomBytes(16)
    const { x, y } = publicKey.export({ format: 'jwk' })
    const cose = new Map<Cbor, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ])
    const rpId = changed.rpId ?? options.rp.id
    this.stored.push({ id: id.toString('base64url'), rpId, key: privateKey, user: options.user.id })
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, encode(cose)])
    const authData = Buffer.concat([this.#data(rpId, 0x40), attested])
    const attestation = new Map<Cbor, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    return this.#answer(id.toString('base64url'), {
      clientDataJSON: this.#client('webauthn.create', options.challenge, changed.origin),
      attestationObject: encode(attestation).toString('base64url'),
      transports: ['internal', 'of-the-future'],
    })
  }

  /** navigator.credentials.get */
  get(options: Json, changed: { readonly rpId?: string; readonly origin?: string; readonly user?: string } = {}): Json {
    const allowed = options.allowCredentials.map(({ id }: Json) => id)
    const found = this.stored.find(({ id }) => allowed.length === 0 || allowed.includes(id))!
    this.count += this.step
    const authenticatorData = this.#data(changed.rpId ?? found.rpId, 0)
    const clientDataJSON = this.#client('webauthn.get', options.challenge, changed.origin)
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    return this.#answer(found.id, {
      clientDataJSON,
      authenticatorData: authenticatorData.toString('base64url'),
      signature: createSign('SHA256').update(signed).sign(found.key).toString('base64url'),
      userHandle: changed.user ?? found.user,
    })
  }

  #data(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.count)
    return Buffer.concat([sha256(rpId), Buffer.from([flags | 1 | (this.verifies ? 4 : 0)]), counter])
  }

  #client = (type: string, challenge: string, origin = this.origin): string =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url')

  #answer = (id: string, response: Json): Json => ({
    id,
    rawId: id,
    type: 'public-key',
    response,
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
  })
}
