import { MAX_HOSTNAME_LENGTH } from '../../../shared/patterns.ts'
import { checked, fields, objectOf, optional, patterns, text, yesOrNo } from '../../contract/fields.ts'
import { type RelayState, relay } from '../mail/relay.ts'
import { challenges, type TlsChallenge, tlsPair } from '../tls.ts'
import { checkPeers, type PeersState } from './peers.ts'

/** A certificate with its chain, and its key. */
export interface TlsPair {
  readonly certificatePem: string
  readonly keyPem: string
}

export interface PreviewState {
  readonly hostname: string
  readonly certificate: TlsPair
}

/** The server's own state, from the store: its names, and what they serve. */
export interface ServerState {
  readonly hostname: string
  readonly webmail: string
  readonly phpmyadmin: string
  /** Whether the panel is served under its name, on port 443. */
  readonly front: boolean
  readonly certificate: TlsPair
  /** Where mail to root and postmaster at the server's own name goes. */
  readonly contactEmail?: string | undefined
  /** What takes all outgoing mail that no other relay does. */
  readonly relay?: RelayState | undefined
  /** ACME challenges for these names. */
  readonly challenges: readonly TlsChallenge[]
  /** The name below which sites have previews, and the certificate there. */
  readonly preview?: PreviewState | undefined
  /** The name server's peers and primary are managed separately, and stay as they are. */
  readonly namesOnly?: boolean | undefined
  /** Absent if there never was one. */
  readonly dns?: PeersState | undefined
  /** Whether to set aside virtual hosts that no account has. */
  readonly disablesForeignSites?: boolean | undefined
}

const name = text(patterns.hostname, MAX_HOSTNAME_LENGTH)

/** Refuses values that could be misinterpreted where they are written. */
export const checkServerState = fields<ServerState>(
  {
    hostname: name,
    webmail: name,
    phpmyadmin: name,
    front: yesOrNo,
    contactEmail: optional(text(patterns.contact)),
    relay: optional(relay),
    certificate: objectOf<TlsPair>(tlsPair, 'a certificate'),
    challenges,
    preview: optional(
      objectOf<PreviewState>({ hostname: name, certificate: objectOf<TlsPair>(tlsPair, 'a certificate') }, 'previews'),
    ),
    namesOnly: optional(yesOrNo),
    dns: optional(checked<PeersState>(checkPeers)),
    disablesForeignSites: optional(yesOrNo),
  },
  'the server',
)
