import { createPrivateKey, generateKeyPair, type KeyObject, webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import { invalid } from '../../contract/problem.ts'
import { type Block, blocksOf, pemOf } from './pem.ts'

const labels = ['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY']

/** The private key in a PEM field; 400 for none, several, or an encrypted one. */
export function privateKeyOf(text: string, field = 'private_key'): KeyObject {
  const blocks = blocksOf(field, text).filter(({ label }) => label !== 'EC PARAMETERS')
  const found = blocks.filter(({ label }) => label.endsWith('PRIVATE KEY'))
  // A file may have the key beside its certificates.
  const keys = found.length > 0 ? found : blocks
  const [first, ...others] = keys
  if (!first || others.some(({ der }) => !der.equals(first.der))) throw invalid(field, 'must hold exactly one key')
  return keyOf(first, field)
}

function keyOf({ label, der, headed }: Block, field: string): KeyObject {
  if (headed || label === 'ENCRYPTED PRIVATE KEY')
    throw invalid(
      field,
      `${field === 'private_key' ? 'is' : 'has a private key that is'} encrypted; remove its passphrase with openssl pkey -in KEY -out NEW-KEY`,
    )
  if (!labels.includes(label)) throw invalid(field, `must be a private key, not ${label}`)
  try {
    return createPrivateKey(pemOf(label, der))
  } catch {
    throw invalid(field, 'is not a valid private key')
  }
}

/** A key as stored: PKCS #8 in PEM. */
export const pemOfKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

export type NewKeyType = 'ec-p256' | 'rsa-2048'

const generate = promisify(generateKeyPair)

export async function newKey(type: NewKeyType): Promise<KeyObject> {
  const { privateKey } =
    type === 'ec-p256' ? await generate('ec', { namedCurve: 'P-256' }) : await generate('rsa', { modulusLength: 2048 })
  return privateKey
}

const algorithms = {
  ec: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048 },
} as const

/** Our key for WebCrypto, with its signing algorithm. */
export async function signingKeys(privateKey: KeyObject, publicKey: KeyObject) {
  const { subtle } = webcrypto
  const algorithm = privateKey.asymmetricKeyType === 'rsa' ? algorithms.rsa : algorithms.ec
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const keys = {
    privateKey: await subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']),
    publicKey: await subtle.importKey('spki', spki, algorithm, true, ['verify']),
  }
  return { algorithm, keys: keys as never }
}
