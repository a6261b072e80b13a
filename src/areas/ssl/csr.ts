import { createPublicKey, type KeyObject } from 'node:crypto'
import { signingKeys } from './key.ts'
import { pemOf } from './pem.ts'
import { commonName } from './self-signed.ts'
import { x509 } from './x509.ts'

/** The subject of a signing request, besides its names. */
export interface Requester {
  readonly organization?: string
  readonly locality?: string
  readonly state?: string
  readonly country?: string
}

interface Subject extends Requester {
  readonly name: string | undefined
}

/** A DER signing request for these names. */
export async function signingRequest(key: KeyObject, names: readonly string[], who: Requester = {}): Promise<Buffer> {
  const { algorithm, keys } = await signingKeys(key, createPublicKey(key))
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: partsOf({ ...who, name: commonName(names) }),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))],
  })
  return Buffer.from(request.rawData)
}

export const pemOfRequest = (der: Buffer): string => pemOf('CERTIFICATE REQUEST', der)

const partsOf = ({ name, organization, locality, state, country }: Subject): x509.JsonName =>
  Object.entries({ CN: name, O: organization, L: locality, ST: state, C: country }).flatMap(([type, value]) =>
    value === undefined ? [] : [{ [type]: [value] }],
  )
