import { invalid } from '../../../contract/problem.ts'
import { allowedFrom } from '../../../runtime/operations/address.ts'
import { remotePatterns } from '../../../shared/patterns.ts'
import type { SettingsInput } from './settings.ts'

/** Pasted settings in the host's form; 400 if the host would refuse them. */
export function plainSettings<Input extends SettingsInput>(input: Input, networks: readonly string[]): Input {
  const { endpoint, host_key, private_key, bucket } = input
  return {
    ...input,
    ...(endpoint !== undefined && { endpoint: plainEndpoint(endpoint, bucket, networks) }),
    ...(host_key !== undefined && { host_key: plainHostKey(host_key) }),
    ...(private_key !== undefined && { private_key: plainPrivateKey(private_key) }),
  }
}

/** Without a slash at its end, nor the bucket, which is a setting of its own. */
function plainEndpoint(text: string, bucket: string | undefined, networks: readonly string[]): string {
  const full = text.trim().replace(/\/+$/, '')
  const endpoint = bucket !== undefined && full.endsWith(`/${bucket}`) ? full.slice(0, -bucket.length - 1) : full
  if (!remotePatterns.endpoint.test(endpoint)) throw invalid('endpoint', 'must be a URL such as https://s3.example')
  const host = /^http:\/\/([^/:]+)/.exec(endpoint)?.[1]
  const address = host === 'localhost' ? '127.0.0.1' : host
  if (address !== undefined && !(networks.length > 0 && isListed(networks, address)))
    throw invalid(
      'endpoint',
      'must begin with https://, or name an address in the networks of the setting git_networks',
    )
  return endpoint
}

function isListed(networks: readonly string[], address: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(address) && allowedFrom(networks, address)
}

const keyTypes = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa']

/** From a line of ssh-keyscan or known_hosts, or a .pub file; of several keys, the type that ssh prefers. */
function plainHostKey(text: string): string {
  const keys = text.split(/\r?\n/).flatMap((line) => {
    const words = line.trim().split(/\s+/)
    const at = words.findIndex((word) => keyTypes.includes(word))
    const key = at < 0 || line.startsWith('#') ? '' : words.slice(at, at + 2).join(' ')
    return remotePatterns.hostKey.test(key) ? [key] : []
  })
  const [best] = keys.toSorted((one, other) => rank(one) - rank(other))
  if (best === undefined) throw invalid('host_key', 'must have a type and a key, such as ssh-ed25519 AAAA…')
  return best
}

const rank = (key: string): number => keyTypes.indexOf(key.split(' ')[0]!)

function plainPrivateKey(text: string): string {
  const key = `${text.replaceAll('\r\n', '\n').trim()}\n`
  if (isLocked(key))
    throw invalid(
      'private_key',
      'has a passphrase, which cannot be typed here: make a key without, by ssh-keygen -N ""',
    )
  if (!remotePatterns.privateKey.test(key))
    throw invalid('private_key', 'must be a private key without a passphrase, as ssh-keygen writes it')
  return key
}

const MAGIC = 'openssh-key-v1\0'

/** PEM says it in its lines, OpenSSH's format by the cipher that it names first. */
function isLocked(key: string): boolean {
  if (/ENCRYPTED/.test(key)) return true
  const body = Buffer.from(key.replace(/-----[^-]*-----/g, ''), 'base64')
  if (body.toString('latin1', 0, MAGIC.length) !== MAGIC) return false
  const length = body.length >= MAGIC.length + 4 ? body.readUInt32BE(MAGIC.length) : 0
  return body.toString('latin1', MAGIC.length + 4, MAGIC.length + 4 + length) !== 'none'
}
