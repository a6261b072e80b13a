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

/** The certificate of another machine's names, with a key of its own for each machine. */
export type CertificateOf = (machine: string, names: () => ServerNames) => ServerCertificate
