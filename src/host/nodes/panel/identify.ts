import type { TLSSocket } from 'node:tls'
import { publicKeyHash } from '../../../shared/public-key.ts'
import type { NodeHelloFrame } from '../../agent/protocol/node-hello.ts'
import { certificateError, commonNameOf } from '../../agent/protocol/trust.ts'
import type { KnownNode, NodeKeeper } from '../../contract/node-port.ts'

/** Why a connection is refused, as a sentence for the other end. */
export class NodeRefusal extends Error {
  override readonly name = 'Refusal'
}

/** During an await its certificate may have been revoked, or the node may have rejoined. */
export function refuseRevoked(keeper: NodeKeeper, { id, name, fingerprint }: KnownNode): void {
  if (keeper.find(id)?.fingerprint !== fingerprint)
    throw new NodeRefusal(`The certificate of node ${name} was revoked.`)
}

/** Identifies a connection's node: its certificate, its key and its arrival must name the same one. */
export function identify(
  socket: TLSSocket,
  arrival: NodeHelloFrame,
  keeper: NodeKeeper,
  now: number,
): { node: KnownNode; certificate: string } {
  const presented = socket.getPeerX509Certificate()
  const error = certificateError(presented, { authorities: keeper.announced().authorities, use: 'node', now })
  if (!presented || error) throw new NodeRefusal(error ?? '')
  if (commonNameOf(presented) !== arrival.node) throw new NodeRefusal('The certificate is that of another node.')
  const node = keeper.find(arrival.node)
  if (!node) throw new NodeRefusal('This fleet has no such node.')
  if (node.fingerprint === null) throw new NodeRefusal(`The certificate of node ${node.name} was revoked.`)
  if (node.fingerprint !== publicKeyHash(presented.publicKey))
    throw new NodeRefusal(`Node ${node.name} has joined again with another key.`)
  return { node, certificate: presented.toString() }
}
