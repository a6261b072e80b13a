import { command } from '../command.ts'
import { complete, listOf, type Output, object, optional, text, yesOrNo } from '../fields.ts'
import * as shape from '../shape.ts'
import { anyCount } from './names.ts'

/** Of one command: a host hears of more in several. */
export const MAX_BANS_AT_ONCE = 1000
/** What one answer reports; the rest follows in the next. */
export const MAX_FOUND = 60
const MAX_NEVER_BANNED = 100_000

const network = text(/^[0-9a-f.:]{2,39}(?:\/\d{1,3})?$/i, 43)

const ban = object(
  {
    network,
    /** In milliseconds since 1970; 0 lifts it. */
    until: anyCount,
    /** A node reported it, which may be hostile: it bans none that this host would not ban itself. */
    reported: optional(yesOrNo),
  },
  'a ban',
)

const policy = object(
  {
    /** Failed sign-ins that lead to a ban. */
    failures: complete(1, 1000),
    /** Addresses and networks that are never banned. */
    never: listOf(network, MAX_NEVER_BANNED),
  },
  'a policy of bans',
)
export type BanPolicy = Output<typeof policy>

const exchange = object(
  {
    /** The number of the last change that the host has heard of; 0: forget all former bans. */
    after: anyCount,
    /** That of the last change here. */
    seq: anyCount,
    bans: listOf(ban, MAX_BANS_AT_ONCE),
    /** Whether more follow at once: they take effect together. */
    more: yesOrNo,
    /** If it has changed. */
    policy: optional(policy),
  },
  'exchangeBans',
)
export type BanExchange = Output<typeof exchange>

const service = shape.oneOf('ssh', 'imap', 'pop3', 'sieve', 'smtp', 'ftp')
export type HostService = Output<typeof service>

const found = shape.fields({
  network: shape.exactly(/^[0-9a-f.:]{2,39}(?:\/64)?$/),
  service,
  failures: shape.upTo(1_000_000),
  logins: shape.list(shape.fields({ service, name: shape.text(64), count: shape.upTo(1_000_000) }), 10),
  more: shape.flag,
})
export type FoundBan = Output<typeof found>

export const banCommands = {
  /**
   * Tells a host which addresses it must drop, and asks which it has banned by itself; it names each until it is told of
   * a ban of that address, or that there is none.
   */
  exchangeBans: command({
    input: exchange,
    result: shape.fields({
      /** The last change that it has heard of. */
      seq: shape.count,
      found: shape.list(found, MAX_FOUND),
    }),
  }),
}
