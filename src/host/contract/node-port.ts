import type { HostClient } from './client.ts'

/** A node as the port needs it. */
export interface KnownNode {
  readonly id: string
  readonly name: string
  /** SHA-256 of its public key; null before it has joined, or once its certificate was revoked. */
  readonly fingerprint: string | null
}

/** What a new machine sends to join. */
export interface JoinRequest {
  readonly node: string
  readonly secret: string
  readonly csr: string
  readonly address: string
  readonly build: string
}

/** Why a machine may not join, as a sentence for it. */
export class JoinRefused extends Error {
  override readonly name = 'JoinRefused'
}

/** What a node receives when it joins: its identity, and whom to trust. */
export interface Joined extends Announced {
  readonly name: string
  readonly certificate: string
}

/** What a node stores for its next connection. */
export interface Announced {
  /** The fleet's CA certificates, the next one included before it is used. */
  readonly authorities: readonly string[]
  /** The addresses of the control plane, and of its possible successors: `host:port`. */
  readonly addresses: readonly string[]
}

/** An established link to a node. */
export interface NodeLinked {
  readonly node: KnownNode
  readonly client: HostClient
  readonly build: string
  readonly protocol: { readonly min: number; readonly max: number }
  readonly address: string
  /** The presented certificate, in PEM. */
  readonly certificate: string
  /** Its disk's free space, if it reports it. */
  readonly diskFreeMb: number | undefined
  /** Its machine's name, if it reports it. */
  readonly hostname: string | undefined
}

/**
 * Why a node with a valid certificate was refused; `twice`: it is already linked, and the refused one is another
 * machine; `barred`: it broke the protocol's rules just before.
 */
export interface NodeRefused {
  readonly node: KnownNode
  readonly cause: 'incompatible' | 'clock' | 'twice' | 'barred'
  readonly reason: string
}

/** What a connection that claimed to be a node failed to prove. */
export interface NodeRejected {
  readonly node: KnownNode
  readonly address: string
  readonly reason: string
}

/** The certificate and key of the control plane's port, in PEM. */
export interface PortCredentials {
  readonly cert: string
  readonly key: string
}

/** What the port needs from the keeper of nodes, and reports to it. */
export interface NodeKeeper {
  credentials(): Promise<PortCredentials>
  find(id: string): KnownNode | undefined
  announced(): Announced
  /** Registers a machine; throws a sentence for it. */
  join(request: JoinRequest): Promise<Joined>
  /** A new certificate for the same key, if renewal is due. */
  renewed(node: KnownNode, certificate: string): Promise<string | undefined>
  /** A node confirms that it stored a certificate. */
  certified(node: KnownNode, certificate: string): void
  /** One of these accounts or apps, by id, that the store has on another node. */
  findElsewhere(kind: 'account' | 'app', ids: readonly string[], node: string): string | undefined
  /** A node reports its disk's free space. */
  reportedFreeSpace(node: KnownNode, diskFreeMb: number): void
  linked(link: NodeLinked): void
  /** An established link has ended. */
  lost(node: KnownNode, why: string): void
  refused(refused: NodeRefused): void
  rejected(rejected: NodeRejected): void
  /** A node exceeded its limits, and was disconnected. */
  broke(node: KnownNode, what: string): void
}

/** The port that nodes connect to. Closed until `open`. */
export interface NodePort {
  /** Returns the port number. */
  open(keeper: NodeKeeper): Promise<number>
  close(): Promise<void>
  /** The port that it listens on; undefined while it is closed. */
  readonly port: number | undefined
  /** The address that it listens on. */
  readonly host: string
  /** Closes a node's link and its streams. */
  cut(id: string, why: string): void
  /** Sends nodes the current announcement, and uses the current certificate. */
  refresh(): Promise<void>
}
