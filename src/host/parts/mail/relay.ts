import { relayPatterns } from '../../../shared/patterns.ts'
import { objectOf, oneOf, optional, patterns, text } from '../../contract/fields.ts'
import { type FileSpec, systemFile } from '../spec.ts'

/** A mail server of others that takes outgoing mail. */
export interface RelayState {
  readonly host: string
  readonly port: 25 | 465 | 587 | 2525
  readonly tls: 'starttls' | 'tls'
  readonly username?: string | undefined
  readonly password?: string | undefined
}

export const relayFields = {
  host: text(patterns.domain),
  port: oneOf(25, 465, 587, 2525),
  tls: oneOf('starttls', 'tls'),
  username: optional(text(relayPatterns.username)),
  password: optional(text(relayPatterns.password, 1024)),
} as const

/** Refuses what could be misinterpreted in a map. */
export const relay = objectOf<RelayState>(relayFields, 'a relay')

/** Postfix's services that sign in to relays: each kind reads its own passwords alone. */
export const relayServices = {
  sender: { starttls: 'relay-sender-starttls', tls: 'relay-sender-tls' },
  server: { starttls: 'relay-server-starttls', tls: 'relay-server-tls' },
} as const

const nextHop = ({ host, port }: RelayState): string => `[${host}]:${port}`

/** The transport of mail that leaves by a relay. */
export const relayTransport = (kind: keyof typeof relayServices, relay: RelayState): string =>
  `${relayServices[kind][relay.tls]}:${nextHop(relay)}`

/** As Postfix looks it up. */
export const signIn = ({ username, password }: RelayState): string | undefined =>
  username === undefined ? undefined : `${username}:${password ?? ''}`

/** The key of the server's relay, among senders. */
export const serverRelay = 'server'

/** Beside the fragments of accounts. */
export function serverRelayFiles(relay: RelayState | undefined, fragment: string): FileSpec[] {
  if (!relay) return []
  const secret = signIn(relay)
  const passwords = `etc/panel/mail/serverpasswords.d/${fragment}`
  return [
    systemFile(`etc/panel/mail/relaytransports.d/${fragment}`, 0o644, [
      `${serverRelay} ${relayTransport('server', relay)}`,
    ]),
    ...(secret === undefined ? [] : [systemFile(passwords, 0o600, [`${nextHop(relay)} ${secret}`])]),
  ]
}
