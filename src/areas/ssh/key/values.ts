import { createPublicKey } from 'node:crypto'
import type { sshKeyTypes } from '../../../contract/ssh.ts'
import { invalidKey } from './invalid-key.ts'
import type { Wire } from './wire.ts'

type KeyType = (typeof sshKeyTypes)[number]

const minBits = 2048
const maxBits = 16_384
const bitsOf = (value: bigint): number => value.toString(2).length

function rsa(wire: Wire): void {
  const exponent = wire.positive()
  const modulus = wire.positive()
  const bits = bitsOf(modulus)
  if (bits < minBits || bits > maxBits) throw invalidKey(`is an RSA key of ${bits} bits; use 2,048 to 16,384`)
  if (modulus % 2n === 0n) throw invalidKey('has a modulus that is not valid')
  if (exponent < 3n || exponent % 2n === 0n || bitsOf(exponent) > 64)
    throw invalidKey('has an exponent that is not valid')
}

function ed25519(wire: Wire): void {
  if (wire.string().length !== 32) throw invalidKey('is not a valid Ed25519 key')
}

const curves = { nistp256: ['P-256', 32], nistp384: ['P-384', 48], nistp521: ['P-521', 66] } as const

/** An uncompressed point on the type's curve. */
const ecdsa = (name: keyof typeof curves) => (wire: Wire) => {
  const [crv, size] = curves[name]
  if (wire.string().toString('latin1') !== name) throw invalidKey('names another curve than its type')
  const point = wire.string()
  if (point.length !== 1 + 2 * size || point[0] !== 4 || !isOn(crv, point.subarray(1)))
    throw invalidKey(`is not a point of the curve ${name}`)
}

function isOn(crv: string, point: Buffer): boolean {
  const half = point.length / 2
  const [x, y] = [point.subarray(0, half), point.subarray(half)].map((part) => part.toString('base64url')) as [
    string,
    string,
  ]
  try {
    createPublicKey({ key: { kty: 'EC', crv, x, y }, format: 'jwk' })
    return true
  } catch {
    return false
  }
}

/** Hardware token keys name their application. */
const withApplication = (values: (wire: Wire) => void) => (wire: Wire) => {
  values(wire)
  if (!/^[\x21-\x7e]{1,255}$/.test(wire.string().toString('latin1')))
    throw invalidKey('has an application that is not valid')
}

/** Parsers of what follows the type in a blob, by type; throw for invalid keys. */
export const values: Readonly<Record<KeyType, (wire: Wire) => void>> = {
  'ssh-ed25519': ed25519,
  'ecdsa-sha2-nistp256': ecdsa('nistp256'),
  'ecdsa-sha2-nistp384': ecdsa('nistp384'),
  'ecdsa-sha2-nistp521': ecdsa('nistp521'),
  'ssh-rsa': rsa,
  'sk-ssh-ed25519@openssh.com': withApplication(ed25519),
  'sk-ecdsa-sha2-nistp256@openssh.com': withApplication(ecdsa('nistp256')),
}
