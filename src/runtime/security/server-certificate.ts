import type { ServerNames } from '../settings/server-names.ts'

/** A certificate with its chain, and its key, in PEM. */
interface Pair {
  readonly cert: string
  readonly key: string
}

export interface CertificateView extends Pair {
  readonly kind: 'self_signed' | 'acme'
}

/** The certificate of the server's own names; its key stays the same across renewals. */
export interface ServerCertificate {
  /** The certificate to show now: the issued one, or a self-signed one, made if missing. */
  current(): Promise<CertificateView>
  /** Puts an issued certificate for that key into use. */
  install(chain: string): Promise<void>
}

/** The certificates of other machines. Each has its own key, and its fingerprint identifies the node. */
export interface NodeCertificates {
  of(machine: string, names: () => ServerNames): ServerCertificate
  /** Removes the certificates and keys of all other machines. */
  dropOthers(machines: readonly string[]): void
}
