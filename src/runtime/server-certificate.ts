import type { ServerNames } from './server-names.ts'

/** A certificate with its chain, and its key, in PEM. */
interface Pair {
  readonly cert: string
  readonly key: string
}

export interface Shown extends Pair {
  readonly kind: 'self_signed' | 'acme'
}

/** The one certificate of the server's own names; its key stays, whatever certificate it has. */
export interface ServerCertificate {
  /** What is to be shown now: self-signed, and made where it is missing, unless one was issued. */
  current(): Promise<Shown>
  /** Takes one that was issued over that key into use. */
  install(chain: string): Promise<void>
}

/** The certificates of other machines' names. Each machine has a key of its own, and is known by its fingerprint as a node. */
export interface NodeCertificates {
  of(machine: string, names: () => ServerNames): ServerCertificate
  /** Removes those of all machines but these, with their keys. */
  dropOthers(machines: readonly string[]): void
}
