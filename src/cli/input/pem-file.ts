import { readFileSync } from 'node:fs'
import { reasonOf } from '../../shared/system-error.ts'
import { usage } from '../errors.ts'
import { standardInputBytes } from './standard-input.ts'

export const isPem = (text: string): boolean => text.includes('-----BEGIN') || text.includes('\n')

/** The PEM text of what was typed: the text itself, or that of a file, which may be binary; `-` is standard input. */
export function pemInput(option: string, typed: string): string {
  return isPem(typed) ? typed : pemOfBytes(option, bytesOf(option, typed))
}

function bytesOf(option: string, path: string): Buffer {
  try {
    return path === '-' ? standardInputBytes() : readFileSync(path)
  } catch (error) {
    throw usage(
      `--${option}: ${path}: ${reasonOf(error)}`,
      'give the path of a PEM, DER or PKCS #12 file, or - for standard input',
    )
  }
}

function pemOfBytes(option: string, bytes: Buffer): string {
  if (bytes[0] === 0x30 && isBinary(bytes)) return pemOfDer(option, bytes)
  // Windows' editors write UTF-16.
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le')
  return bytes.toString('utf8').replace(/^\ufeff/, '')
}

const isBinary = (bytes: Buffer): boolean => bytes.includes(0) || bytes.some((byte) => byte > 0x7f)

/** The label of a PKCS #12 file's block, which is opened before it is sent. */
export const pkcs12Label = 'PKCS12'
const signedData = Buffer.from('06092a864886f70d010702', 'hex')
const version3 = Buffer.from('020103', 'hex')

function pemOfDer(option: string, der: Buffer): string {
  if (isFirst(der, signedData)) return pemOf('PKCS7', der)
  if (isFirst(der, version3)) return pemOf(pkcs12Label, der)
  return certificateIn(der) ?? keyIn(der) ?? unreadable(option)
}

/** Whether a DER sequence begins with a value. */
function isFirst(der: Buffer, value: Buffer): boolean {
  const start = 2 + (der[1]! & 0x80 ? der[1]! & 0x7f : 0)
  return der.subarray(start, start + value.length).equals(value)
}

function certificateIn(der: Buffer): string | undefined {
  try {
    const { X509Certificate } = process.getBuiltinModule('node:crypto')
    return new X509Certificate(der).toString()
  } catch {
    return undefined
  }
}

function keyIn(der: Buffer): string | undefined {
  for (const type of ['pkcs8', 'pkcs1', 'sec1'] as const)
    try {
      const key = process.getBuiltinModule('node:crypto').createPrivateKey({ key: der, format: 'der', type })
      return key.export({ type: 'pkcs8', format: 'pem' }).toString()
    } catch {
      // It may be of another form.
    }
  return undefined
}

function unreadable(option: string): never {
  throw usage(`--${option}: the file cannot be read as a certificate, a key or PKCS #12`)
}

export function pemOf(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
