import { createPublicKey } from 'node:crypto'
import { JoinRefused, type JoinRequest } from '../../../host/contract/node-port.ts'
import { enqueue } from '../../../runtime/jobs/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { publicKeyHash } from '../../../shared/public-key.ts'
import { noteNode, record, setNode } from '../link/record.ts'
import { nodeById } from '../store.ts'
import { sweepOf } from '../sweep.ts'
import type { NodeRow } from '../tables.ts'
import { endOf, signNode } from '../trust/keys.ts'
import { requestedKey } from '../trust/x509.ts'
import { secretProblem } from './secret.ts'

/** Admits a machine with the secret of a join line: from then on its key is the node's. */
export async function admit(runtime: Runtime, request: JoinRequest): Promise<{ name: string; certificate: string }> {
  const { id, name } = admissible(runtime, request)
  const publicKey = await requestedKey(request.csr)
  if (!publicKey) throw new JoinRefused('The certificate request of this machine is not valid.')
  const certificate = await signNode(runtime, publicKey, id)
  const fingerprint = publicKeyHash(createPublicKey({ key: publicKey, format: 'der', type: 'spki' }))
  // The certificate is worthless unless this commits: the secret may have been used in between.
  await runtime.store.change(() =>
    enrol(runtime, { node: admissible(runtime, request), fingerprint, certificate }, request),
  )
  runtime.signals.emit('nodeJoined', { id, name })
  return { name, certificate }
}

function admissible({ store, clock }: Runtime, { node, secret }: JoinRequest): NodeRow {
  const row = nodeById(store.db, node)
  const problem = secretProblem(row, secret, clock.now())
  if (!row || problem) throw new JoinRefused(problem ?? '')
  return row
}

interface Enrolled {
  readonly node: NodeRow
  readonly fingerprint: string
  readonly certificate: string
}

function enrol(runtime: Runtime, { node, fingerprint, certificate }: Enrolled, { address, build }: JoinRequest): void {
  const now = runtime.clock.now()
  setNode(runtime, node.id, {
    ...{ join_secret_hash: null, join_expires_at: null, revoked_at: null, expiry_told_at: null, incompatible: null },
    ...{ fingerprint, certificate_expires_at: endOf(certificate), joined_at: now, version: build },
    state: node.state === 'joining' ? 'active' : node.state,
    addresses: node.addresses.length > 0 ? node.addresses : [address],
  })
  noteNode(runtime, 'joinNode', node, { address })
  // It may be a different machine, without the files of the node's accounts.
  if (node.accounts > 0) enqueue(runtime, sweepOf(node), systemActor(runtime.store.db), runtime.id())
  record(runtime, { type: 'node.joined', object_id: node.id, details: { name: node.name } })
}
