import { longestName } from '../../../shared/patterns.ts'
import { fields, object, optional, patterns, text, yesOrNo } from '../../fields.ts'
import { challenges, type TlsChallenge, tlsPair } from '../tls.ts'
import { checkPeers, type PeersState } from './peers.ts'

/** A certificate with its chain from there up, and its key. */
export interface TlsPair {
  readonly certificatePem: string
  readonly keyPem: string
}

/** What no account owns, as the store decides it: the server's own names, and what they show. */
export interface ServerState {
  readonly hostname: string
  readonly webmail: string
  readonly phpmyadmin: string
  /** Whether the panel is served at its name, on port 443. */
  readonly front: boolean
  readonly certificate: TlsPair
  /** What a certificate authority looks for below these names. */
  readonly challenges: readonly TlsChallenge[]
  /** What its name server hands out and takes is told otherwise, and stays as it is. */
  readonly namesOnly?: boolean | undefined
  /** Absent where there never was one. */
  readonly dns?: PeersState | undefined
  /** Whether virtual hosts that no account has are set aside. */
  readonly setsAside?: boolean | undefined
}

const name = text(patterns.hostname, longestName)

/** Refuses values that could mean something else where they are written. */
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
    setsAside: optional(yesOrNo),
  },
  'the server',
)
