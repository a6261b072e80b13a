import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Encryption } from '../../runtime/security/seal.ts'
import { pemOfKey } from './key.ts'

/** The encryption purposes of private keys. */
export const purposes = {
  certificate: 'certificate key',
  csr: 'signing request key',
  acme: 'ACME account key',
} as const
type Purpose = (typeof purposes)[keyof typeof purposes]

export const sealKey = (seals: Encryption, purpose: Purpose, key: KeyObject): string =>
  seals.seal(purpose, pemOfKey(key))

export const openKey = (seals: Pick<Encryption, 'unseal'>, purpose: Purpose, sealed: string): KeyObject =>
  createPrivateKey(seals.unseal(purpose, sealed))
