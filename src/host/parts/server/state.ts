import { MAX_HOSTNAME_LENGTH } from '../../../shared/patterns.ts'
import { fields, object, optional, patterns, text, yesOrNo } from '../../contract/fields.ts'
import { challenges, type TlsChallenge, tlsPair } from '../tls.ts'
import { checkPeers, type PeersState } from './peers.ts'

/** A certificate with its chain, and its key. */
export interface TlsPair {
  readonly certificatePem: string
  readonly keyPem: string
}

/** The server's own state, from the store: its names, and what they serve. */
export interface ServerState {
  readonly hostname: string
  readonly webmail: string
  readonly phpmyadmin: string
  /** Whether the panel is served under its name, on port 443. */
  readonly front: boolean
  readonly certificate: TlsPair
  /** ACME challenges for these names. */
  readonly challenges: readonly TlsChallenge[]
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
    certificate: object<TlsPair>(tlsPair, 'a certificate'),
    challenges,
    namesOnly: optional(yesOrNo),
    dns: optional((value) => checkPeers(value as PeersState)),
    disablesForeignSites: optional(yesOrNo),
  },
  'the server',
)
