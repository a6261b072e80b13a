import { serverRelayFiles } from '../mail/relay.ts'
import { type FileSpec, systemFile } from '../spec.ts'
import type { ServerState } from './state.ts'

/** Programs write to root, and other mail servers to the rest (RFC 5321, RFC 2142). */
const roles = ['root', 'postmaster', 'abuse', 'hostmaster'] as const

/** Beside the fragments of accounts; no username begins so. */
const fragment = '_server'

/** Rows of the mail maps: what mail to the server's own name leads to, and what takes outgoing mail. */
export const serverMail = (state: ServerState): readonly FileSpec[] => [
  ...ownAddresses(state),
  ...serverRelayFiles(state.relay, fragment),
]

/** Without an address to send it to, the server's own name takes no mail. */
function ownAddresses({ hostname, contactEmail }: ServerState): readonly FileSpec[] {
  if (contactEmail === undefined) return []
  const aliases = roles.map((role) => `${role}@${hostname} ${contactEmail}`).toSorted()
  return [
    systemFile(`etc/panel/mail/domains.d/${fragment}`, 0o644, [`${hostname} ${fragment}`]),
    systemFile(`etc/panel/mail/aliases.d/${fragment}`, 0o644, aliases),
  ]
}
