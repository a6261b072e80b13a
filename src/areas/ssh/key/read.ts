import { createHash } from 'node:crypto'
import { sshKeyTypes } from '../../../contract/ssh.ts'
import { invalidKey } from './invalid-key.ts'
import { values } from './values.ts'
import { Wire } from './wire.ts'

type KeyType = (typeof sshKeyTypes)[number]

export interface PublicKey {
  readonly type: KeyType
  /** In base64. */
  readonly blob: string
  readonly comment: string
  readonly fingerprint: string
}

const MAX_KEY_LENGTH = 8192

/** Parses a line of an `authorized_keys` file without options; 400 `fields.public_key` for anything else. */
export function readPublicKey(text: string): PublicKey {
  const line = text.replace(/\r?\n$/, '')
  if (Buffer.byteLength(line) > MAX_KEY_LENGTH) throw invalidKey('must be at most 8 KiB')
  refuseOtherThings(line)
  const [, word = '', blob = '', comment = ''] = /^(\S+) +(\S+)(?: +(.*))?$/.exec(line.trim()) ?? []
  const type = typeOf(word)
  return { type, blob, comment: comment.trim(), fingerprint: fingerprintOf(checked(type, blob)) }
}

function refuseOtherThings(line: string): void {
  if (/PRIVATE KEY/.test(line)) throw invalidKey('is a private key: keep it to yourself, and give the .pub file')
  if (/[\r\n]/.test(line)) throw invalidKey('must be one line, such as that of id_ed25519.pub')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(line)) throw invalidKey('must not contain control characters')
}

function typeOf(word: string): KeyType {
  const type = sshKeyTypes.find((one) => one === word)
  if (type) return type
  if (word === 'ssh-dss') throw invalidKey('is a DSA key, which SSH servers no longer accept')
  if (/-cert-v\d\d@/.test(word)) throw invalidKey('is a certificate; give the key itself')
  throw invalidKey('must begin with the type of the key, such as ssh-ed25519, without options before it')
}

function checked(type: KeyType, blob: string): Buffer {
  const bytes = Buffer.from(blob, 'base64')
  if (bytes.toString('base64') !== blob) throw invalidKey('is not valid base64 after its type')
  const wire = new Wire(bytes)
  if (wire.string().toString('latin1') !== type) throw invalidKey('holds a key of another type than it says')
  values[type](wire)
  wire.end()
  return bytes
}

/** As `ssh-keygen -l` shows it. */
/** As `ssh-keygen -l` shows it. */
export const fingerprintOf = (bytes: Buffer): string =>
  `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')}`
