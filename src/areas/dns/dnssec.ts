import { createHash, generateKeyPairSync } from 'node:crypto'

/** The single key of a signed zone. `private_key` is the private scalar of an ECDSA P-256 key, in base64. */
export interface ZoneKey {
  /** The DNSKEY record's data. */
  readonly dnskey: string
  readonly key_tag: number
  readonly private_key: string
}

export const algorithm = 13
const head = Buffer.from([257 >> 8, 257 & 255, 3, algorithm])
export const digestType = 2

/** Creates a key (RFC 6605). */
export function newZoneKey(): ZoneKey {
  const { x, y, d } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')])
  return {
    dnskey: `257 3 ${algorithm} ${point.toString('base64')}`,
    key_tag: keyTag(Buffer.concat([head, point])),
    private_key: Buffer.from(d!, 'base64url').toString('base64'),
  }
}

/** RFC 4034, appendix B. */
function keyTag(rdata: Buffer): number {
  const sum = rdata.reduce((total, byte, at) => total + (at % 2 === 0 ? byte << 8 : byte), 0)
  return (sum + (sum >> 16)) & 0xffff
}

const wireName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])

/** The DS record to enter at the registrar (RFC 4034, section 5.1.4). */
export function dsOf(zone: string, { dnskey, key_tag }: Pick<ZoneKey, 'dnskey' | 'key_tag'>) {
  const rdata = Buffer.concat([head, Buffer.from(dnskey.split(' ')[3]!, 'base64')])
  const digest = createHash('sha256').update(wireName(zone)).update(rdata).digest('hex').toUpperCase()
  const record = `${zone}. IN DS ${key_tag} ${algorithm} ${digestType} ${digest}`
  return { key_tag, algorithm, digest_type: digestType, digest, record }
}
