import { command, isLarge, REPLY_TIMEOUT_MS } from '../command.ts'
import type { Output } from '../fields.ts'
import * as shape from '../shape.ts'
import { nothing } from './names.ts'

/** A logged-in FTP session. */
const session = shape.fields({
  login: shape.name,
  /** The client's address. */
  address: shape.name,
  protocol: shape.oneOf('ftp', 'ftps', 'sftp'),
  /** When it was opened. */
  since: shape.moment,
})
export type FtpSession = Output<typeof session>

/** What services say of all accounts. */
export const serviceCommands = {
  /** The open FTP sessions of all accounts on the host. */
  ftpSessions: command({
    input: nothing('ftpSessions'),
    result: shape.fields({ items: shape.list(session, 10_000) }),
    large: isLarge,
  }),
  /** Unverified domains with an address for which mail was refused since the last call. */
  refusedDomains: command({
    input: nothing('refusedDomains'),
    result: shape.fields({ items: shape.list(shape.text(253), 1000) }),
    route: {
      everywhere: {
        ms: REPLY_TIMEOUT_MS,
        merge: (all) => ({ items: all.flatMap(({ items }) => items) }),
      },
    },
  }),
}
