import { execFile } from 'node:child_process'
import { randomUUID, webcrypto, type X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { version } from '../../../contract/version.ts'
import { publicKeyHash } from '../../../shared/public-key.ts'
import { readFrame } from '../../agent/protocol/first.ts'
import { encode, type Frame } from '../../agent/protocol/frames.ts'
import { SUPPORTED_VERSIONS } from '../../agent/protocol/hello.ts'
import { textIn, textsIn } from '../../agent/protocol/node-hello.ts'
import { type Clock, machineClock } from './clock.ts'
import { connectTo } from './connect.ts'

import { Identity, type KnownPanel } from './identity.ts'
import 'reflect-metadata'

import * as x509 from '@peculiar/x509'

x509.cryptoProvider.set(webcrypto as never)

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Creates a P-256 key, and a certificate request that names the node. */
async function newKeyAndRequest(node: string): Promise<{ key: string; csr: string }> {
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [node] }],
    keys: keys as never,
    signingAlgorithm: algorithm,
  })
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { key: `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY').trim()}\n`, csr: request.toString('pem') }
}

export { placeOf, Unreached } from './connect.ts'

const run = promisify(execFile)

export interface JoinOptions {
  /** The control plane's address: `host:port`. */
  readonly address: string
  /** The node's id. */
  readonly node: string
  /** SHA-256 of the control plane's public key, in hex. */
  readonly pin: string
  readonly secret: string
  /** Where the node's files lie: the machine's own root, or a directory. */
  readonly root: string
  readonly clock?: Clock
}

/** The node that this machine is; undefined if it has not joined. */
export const identityOf = (root: string): Pick<KnownPanel, 'id' | 'name'> | undefined => Identity.read(root)?.known

/** Makes this machine a node; returns its name. Throws a message if it may not become one. */
export async function join(options: JoinOptions): Promise<{ name: string }> {
  const { address, node, pin, secret, root, clock = machineClock } = options
  const { key, csr } = await newKeyAndRequest(node)
  const socket = await connectTo({ address, clock, error: (presented) => pinError(presented, pin) })
  try {
    const about = { protocol: SUPPORTED_VERSIONS, build: version, boot: randomUUID(), capabilities: [], undone: [] }
    socket.write(encode({ type: 'hello', purpose: 'join', ...about, node, secret, csr, clock: clock.now() }))
    const known = knownOf(await readFrame(socket), node, address)
    Identity.write(root, key, known)
    return { name: known.name }
  } finally {
    socket.destroy()
  }
}

function pinError(presented: X509Certificate | undefined, pin: string): string | undefined {
  const fingerprint = presented && publicKeyHash(presented.publicKey)
  if (fingerprint === pin.toLowerCase()) return undefined
  return `its public key is ${fingerprint ?? 'missing'}, not ${pin}. The secret was not sent`
}

function knownOf(frame: Frame, id: string, address: string): KnownPanel {
  if (frame['type'] === 'refused') throw new Error(textIn(frame, 'reason'))
  return {
    id,
    name: textIn(frame, 'name'),
    certificate: textIn(frame, 'certificate'),
    authorities: textsIn(frame, 'authorities'),
    addresses: textsIn(frame, 'addresses'),
    reached: [address],
  }
}

/** Makes the service manager run the agent as a node instead of a local panel's host; false without one. */
export async function startNode(): Promise<boolean> {
  if (!existsSync('/run/systemd/system')) return false
  await run('systemctl', ['disable', '--now', 'panel.service', 'panel-host.service'])
  await run('systemctl', ['enable', '--now', 'panel-node.service'])
  return true
}
