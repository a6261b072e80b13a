import { execFile } from 'node:child_process'
import { randomUUID, type X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { version } from '../../../contract/version.ts'
import { publicKeyHash } from '../../../shared/public-key.ts'
import { textIn, textsIn } from '../protocol/arrival.ts'
import { readFrame } from '../protocol/first.ts'
import { encode, type Frame } from '../protocol/frames.ts'
import { spoken } from '../protocol/hello.ts'
import { type Clock, machineClock } from './clock.ts'
import { connectTo } from './connect.ts'
import { newKeyAndRequest } from './csr.ts'
import { Identity, type Known } from './identity.ts'

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
export const identityOf = (root: string): Pick<Known, 'id' | 'name'> | undefined => Identity.read(root)?.known

/** Makes this machine a node; returns its name. Throws a message if it may not become one. */
export async function join(options: JoinOptions): Promise<{ name: string }> {
  const { address, node, pin, secret, root, clock = machineClock } = options
  const { key, csr } = await newKeyAndRequest(node)
  const socket = await connectTo({ address, clock, fault: (shown) => pinFault(shown, pin) })
  try {
    const about = { protocol: spoken, build: version, boot: randomUUID(), capabilities: [], undone: [] }
    socket.write(encode({ type: 'hello', purpose: 'join', ...about, node, secret, csr, clock: clock.now() }))
    const known = knownOf(await readFrame(socket), node, address)
    Identity.write(root, key, known)
    return { name: known.name }
  } finally {
    socket.destroy()
  }
}

function pinFault(shown: X509Certificate | undefined, pin: string): string | undefined {
  const fingerprint = shown && publicKeyHash(shown.publicKey)
  if (fingerprint === pin.toLowerCase()) return undefined
  return `its public key is ${fingerprint ?? 'missing'}, not ${pin}. The secret was not sent`
}

function knownOf(frame: Frame, id: string, address: string): Known {
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
