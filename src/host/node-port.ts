import type { HostClient } from './client.ts'

/** A node as the port has to know it. */
export interface KnownNode {
  readonly id: string
  readonly name: string
  /** SHA-256 of its public key; nothing while it has not joined or when its certificate was revoked. */
  readonly fingerprint: string | null
}

/** What a new machine says when it joins. */
export interface JoinRequest {
  readonly node: string
  readonly secret: string
  readonly csr: string
  readonly address: string
  readonly build: string
}

/** Why a machine may not join, in one sentence for it. */
export class JoinRefused extends Error {
  override readonly name = 'JoinRefused'
}

/** What a node is given: who it is, and whom it may trust. */
export interface Joined extends Announced {
  readonly name: string
  readonly certificate: string
}

/** What a node keeps for the next time it connects. */
export interface Announced {
  /** The certificates of the fleet's authority, the next one among them before it is used. */
  readonly authorities: readonly string[]
  /** Where the control plane is found, and who takes over from it: `host:port`. */
  readonly addresses: readonly string[]
}

/** A link to a node that stands. */
export interface NodeLinked {
  readonly node: KnownNode
  readonly client: HostClient
  readonly build: string
  readonly protocol: { readonly min: number; readonly max: number }
  readonly address: string
  /** That it showed, in PEM. */
  readonly certificate: string
  /** Free room of its disk, where it tells. */
  readonly diskFreeMb: number | undefined
  /** What its machine is called, where it tells. */
  readonly hostname: string | undefined
}

/** Why a node with a good certificate was not let in; `twice`: its link stands, and the one that was refused is another machine. */
export interface NodeRefused {
  readonly node: KnownNode
  readonly cause: 'incompatible' | 'clock' | 'twice'
  readonly reason: string
}

/** What a connection that named a node could not prove. */
export interface NodeTurnedAway {
  readonly node: KnownNode
  readonly address: string
  readonly reason: string
}

/** What shows that the port belongs to the control plane, in PEM. */
export interface PortCredentials {
  readonly cert: string
  readonly key: string
}

/** What the port asks of who keeps the nodes, and what it tells. */
export interface NodeKeeper {
  credentials(): Promise<PortCredentials>
  find(id: string): KnownNode | undefined
  announced(): Announced
  /** Takes a machine in; throws a sentence for it. */
  join(request: JoinRequest): Promise<Joined>
  /** A new certificate for the key of this one, when it is time for it. */
  renewed(node: KnownNode, certificate: string): Promise<string | undefined>
  /** A node says that it keeps a certificate that it was sent. */
  certified(node: KnownNode, certificate: string): void
  /** Whether the store has placed an account or an app, by id, on another node. */
  isElsewhere(kind: 'account' | 'app', id: string, node: string): boolean
  /** A node tells how much room its disk has. */
  toldRoom(node: KnownNode, diskFreeMb: number): void
  linked(link: NodeLinked): void
  /** A link that stood has ended. */
  lost(node: KnownNode, why: string): void
  refused(refused: NodeRefused): void
  turnedAway(turnedAway: NodeTurnedAway): void
  /** A node broke its bounds, and was cut off for it. */
  broke(node: KnownNode, what: string): void
}

/** Where nodes connect. Nothing listens until it is opened. */
export interface NodePort {
  /** Answers the port. */
  open(keeper: NodeKeeper): Promise<number>
  close(): Promise<void>
  /** The port that it listens on; nothing while it is closed. */
  readonly port: number | undefined
  /** The address that it listens at. */
  readonly host: string
  /** Ends a node's link and its streams. */
  cut(id: string, why: string): void
  /** Tells nodes what is announced now, and shows the certificate of now. */
  refresh(): Promise<void>
}
