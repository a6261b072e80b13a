import { readFileSync } from 'node:fs'
import { changedKey, inputNeeded, untrusted, usage } from '../../errors.ts'
import { askWhether } from '../../input/ask.ts'
import { again, type Invocation, textOption } from '../../invocation.ts'
import type { ServerTarget } from '../../target/target.ts'
import { canAsk, note } from '../../terminal.ts'
import { type Probed, probe } from './probe.ts'

/** The public key to pin; undefined if the certificate is trusted anyway. No secret has been sent yet. */
export async function keyToPin(invocation: Invocation, target: ServerTarget): Promise<string | undefined> {
  const provided = fingerprintOption(invocation)
  if (target.url.protocol === 'http:') return withoutTls(provided)
  const presented = await probe(target, target.ca ? readFileSync(target.ca) : undefined)
  if (provided) return matching(provided, presented, target)
  if (target.pin) return unchanged(target, target.pin, presented)
  if (presented.doubt === undefined) return undefined
  return accepted(invocation, target, presented)
}

function withoutTls(provided: string | undefined): undefined {
  if (provided) throw usage('--fingerprint needs an https address')
}

/** `sha256:` and the hash in hex, with or without colons, or in base64. */
function fingerprintOption(invocation: Invocation): string | undefined {
  const provided = textOption(invocation, 'fingerprint')
  if (provided === undefined) return undefined
  const hash = provided.replace(/^sha-?256:/i, '')
  const hex = hash.replaceAll(':', '').toLowerCase()
  if (/^[0-9a-f]{64}$/.test(hex)) return `sha256:${hex}`
  if (/^[\w+/-]{43}=?$/.test(hash)) return `sha256:${Buffer.from(hash, 'base64').toString('hex')}`
  throw usage(`--fingerprint must be sha256: and 64 hex digits, not ${provided}`)
}

function matching(provided: string, presented: Probed, { label }: ServerTarget): string {
  if (provided === presented.key || provided === presented.certificate) return presented.key
  throw untrusted(
    `${label} has another fingerprint than the one given: nothing was sent`,
    `it has public key ${presented.key}, certificate ${presented.certificate}`,
  )
}

function unchanged(target: ServerTarget, pin: string, presented: Probed): string {
  if (presented.key !== pin) throw changedKey(target, pin, presented.key)
  return pin
}

async function accepted(invocation: Invocation, target: ServerTarget, presented: Probed): Promise<string> {
  for (const line of description(target, presented)) note(line)
  if (!canAsk())
    throw inputNeeded(
      `Confirm that you trust ${target.label}`,
      `if the fingerprint is correct: ${again(invocation, '--fingerprint', presented.key)}`,
    )
  if (await askWhether('Trust this server and pin its key?')) return presented.key
  throw untrusted('not trusted: nothing was sent')
}

const doubts: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'it is signed by an unknown authority',
  CERT_HAS_EXPIRED: 'it has expired',
}

/** `sha256:ab12…` as `openssl x509 -fingerprint` prints it. */
const asOpenssl = (fingerprint: string): string =>
  (fingerprint.replace('sha256:', '').toUpperCase().match(/../g) ?? []).join(':')

const description = ({ label }: ServerTarget, { name, validTo, key, certificate, doubt }: Probed): string[] => [
  `The certificate of ${label} is not trusted: ${doubts[doubt ?? ''] ?? doubt}.`,
  `  name         ${name}`,
  `  valid until  ${validTo}`,
  `  certificate  ${asOpenssl(certificate)}`,
  `  public key   ${key}`,
  'Compare it on the server: openssl x509 -noout -fingerprint -sha256 -in <data-dir>/tls/cert.pem',
]
