import { createPublicKey, X509Certificate } from 'node:crypto'
import {
  newAuthority,
  newPortKey,
  nodeCertificate,
  type Pair,
  portCertificate,
  requestedKey,
} from '../../../src/areas/nodes/trust/x509.ts'
import {
  type Announced,
  type Joined,
  JoinRefused,
  type JoinRequest,
  type KnownNode,
  type NodeKeeper,
  type NodeLinked,
  type NodeRefused,
  type NodeRejected,
} from '../../../src/host/contract/node-port.ts'
import { publicKeyHash } from '../../../src/shared/public-key.ts'

/** Keeps nodes in memory, and records its calls. */
export class TestKeeper implements NodeKeeper {
  readonly nodes = new Map<string, KnownNode>()
  readonly secrets = new Map<string, string>()
  readonly received: string[] = []
  readonly links = new Map<string, NodeLinked>()
  readonly elsewhere = new Set<string>()
  readonly authority: Pair
  readonly portKey: string
  addresses: readonly string[] = []
  /** Its answer for any other certificate. */
  fresh: string | undefined
  readonly validated: string[] = []
  readonly compared: (readonly string[])[] = []
  readonly #now: () => number

  private constructor(authority: Pair, portKey: string, now: () => number) {
    this.authority = authority
    this.portKey = portKey
    this.#now = now
  }

  static async make(now: () => number): Promise<TestKeeper> {
    return new TestKeeper(await newAuthority(now()), await newPortKey(), now)
  }

  get pin(): string {
    return publicKeyHash(createPublicKey(this.portKey))
  }

  /** A node that may join with this secret. */
  expect(id: string, name: string, secret: string): void {
    this.nodes.set(id, { id, name, fingerprint: null })
    this.secrets.set(id, secret)
  }

  revoke(id: string): void {
    this.nodes.set(id, { ...this.nodes.get(id)!, fingerprint: null })
  }

  async credentials() {
    return { key: this.portKey, cert: await portCertificate(this.authority, this.portKey, this.#now()) }
  }

  find(id: string): KnownNode | undefined {
    return this.nodes.get(id)
  }

  announced(): Announced {
    return { authorities: [this.authority.certificate], addresses: this.addresses }
  }

  async join({ node: id, secret, csr }: JoinRequest): Promise<Joined> {
    this.received.push(`join ${id}`)
    const node = this.nodes.get(id)
    const spki = await requestedKey(csr)
    if (!node || !spki || this.secrets.get(id) !== secret) throw new JoinRefused('The secret is not valid.')
    this.secrets.delete(id)
    const certificate = await nodeCertificate(this.authority, spki, id, this.#now())
    const fingerprint = publicKeyHash(new X509Certificate(certificate).publicKey)
    this.nodes.set(id, { ...node, fingerprint })
    return { ...this.announced(), name: node.name, certificate }
  }

  async renewed(_node: KnownNode, certificate: string): Promise<string | undefined> {
    this.validated.push(certificate)
    return certificate.trim() === this.fresh?.trim() ? undefined : this.fresh
  }

  certified(node: KnownNode, certificate: string): void {
    this.received.push(`${node.name} keeps ${certificate === this.fresh ? 'the new certificate' : 'another one'}`)
  }

  findElsewhere(kind: string, ids: readonly string[]): string | undefined {
    this.compared.push(ids)
    return ids.find((id) => this.elsewhere.has(`${kind} ${id}`))
  }

  reportedFreeSpace(node: KnownNode, diskFreeMb: number): void {
    this.received.push(`${node.name} has ${diskFreeMb} MB`)
  }

  linked(link: NodeLinked): void {
    this.links.set(link.node.name, link)
    this.received.push(`${link.node.name} up`)
  }

  lost(node: KnownNode, why: string): void {
    this.links.delete(node.name)
    this.received.push(`${node.name} down: ${why}`)
  }

  refused({ node, cause, reason }: NodeRefused): void {
    this.received.push(`${node.name} ${cause}: ${reason}`)
  }

  rejected({ node, reason }: NodeRejected): void {
    this.received.push(`${node.name} turned away: ${reason}`)
  }

  broke(node: KnownNode, what: string): void {
    this.received.push(`${node.name} broke: ${what}`)
  }
}
