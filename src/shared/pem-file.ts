/** Files of certificates and keys as they are: PEM, DER or PKCS #12. */

/** The PEM text of a file of any form; undefined for a binary one that cannot be read. */
export function pemOfBytes(bytes: Buffer): string | undefined {
  return bytes[0] === 0x30 && isBinary(bytes) ? pemOfDer(bytes) : textOfBytes(bytes)
}

/** Text in UTF-8 or, as programs of Windows write, UTF-16. */
export const textOfBytes = (bytes: Buffer): string =>
  bytes[0] === 0xff && bytes[1] === 0xfe
    ? bytes.subarray(2).toString('utf16le')
    : bytes.toString('utf8').replace(/^\ufeff/, '')

const isBinary = (bytes: Buffer): boolean => bytes.includes(0) || bytes.some((byte) => byte > 0x7f)

/** The label of a PKCS #12 file's block, which is opened before it is sent. */
export const pkcs12Label = 'PKCS12'
const signedData = Buffer.from('06092a864886f70d010702', 'hex')
const version3 = Buffer.from('020103', 'hex')

function pemOfDer(der: Buffer): string | undefined {
  if (isFirst(der, signedData)) return pemOf('PKCS7', der)
  if (isFirst(der, version3)) return pemOf(pkcs12Label, der)
  return certificateIn(der) ?? keyIn(der)
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

export function pemOf(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
