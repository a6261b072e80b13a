import crypto from 'node:crypto'
import forge from 'node-forge'
import { readPkcs12 } from '../../shared/pkcs12.ts'
import { usage } from '../errors.ts'

/** The content of a PKCS #12 file as PEM; `password` if it has another one. */
export function openPkcs12(der: Buffer, password: string) {
  const found = readPkcs12(forge, crypto, der, password)
  if (found !== 'password' && 'problem' in found) throw usage(found.problem)
  return found
}
