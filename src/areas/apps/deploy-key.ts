import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** A key pair in OpenSSH format. */
export interface DeployKey {
  /** One line, to be added to a repository. */
  readonly publicKey: string
  readonly privateKey: string
}

const type = 'ssh-ed25519'
const seedAt = 16
const publicAt = 12
const lineLength = 70

/** Creates an ed25519 key; the comment names its app. */
export function newDeployKey(comment: string): DeployKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  const point = publicKey.subarray(publicAt)
  const blob = Buffer.concat([counted(type), counted(point)])
  return {
    publicKey: `${type} ${blob.toString('base64')} ${comment}`,
    privateKey: opensshFile(blob, point, privateKey.subarray(seedAt), comment),
  }
}

/** The format in OpenSSH's `PROTOCOL.key`, without a passphrase. */
function opensshFile(blob: Buffer, point: Buffer, seed: Buffer, comment: string): string {
  const check = randomBytes(4)
  const secret = Buffer.concat([
    check,
    check,
    counted(type),
    counted(point),
    counted(Buffer.concat([seed, point])),
    counted(comment),
  ])
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    counted('none'),
    counted('none'),
    counted(''),
    number(1),
    counted(blob),
    counted(padded(secret)),
  ])
  const lines = file.toString('base64').match(new RegExp(`.{1,${lineLength}}`, 'g'))!
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}

/** Padded to a multiple of 8 with 1, 2, 3 … */
function padded(bytes: Buffer): Buffer {
  const missing = (8 - (bytes.length % 8)) % 8
  return Buffer.concat([bytes, Buffer.from(Array.from({ length: missing }, (_, n) => n + 1))])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function counted(value: Buffer | string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([number(bytes.length), bytes])
}
