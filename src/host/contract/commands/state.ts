import { checkServed } from '../../parts/dns/check.ts'
import type { ServedZones } from '../../parts/dns/state.ts'
import { type HostArea, parts } from '../../parts/index.ts'
import { checkPrimary, type Primary } from '../../parts/server/primary.ts'
import { checkServerState, type ServerState } from '../../parts/server/state.ts'
import type { Belongings, Revision } from '../account.ts'
import { checkBelongings } from '../check.ts'
import { command, isLarge } from '../command.ts'
import {
  checked,
  complete,
  knowsAll,
  listOf,
  type Output,
  object,
  objectOf,
  optional,
  type Schema,
  text,
} from '../fields.ts'
import * as shape from '../shape.ts'
import {
  accountName,
  accountState,
  anyCount,
  MAX_ACCOUNTS,
  MAX_ACCOUNTS_AT_ONCE,
  nothing,
  serverConfig,
} from './names.ts'

export const areaNames: readonly string[] = parts.map(({ name }) => name)
const area = checked<HostArea>((value) => knowsAll([String(value)], areaNames, 'part of an account'))
const order = objectOf<Revision>({ epoch: complete(1, Number.MAX_SAFE_INTEGER), generation: anyCount }, 'an order')
const served = (of: string) => object({ served: listOf(checked<ServedZones>(checkServed), MAX_ACCOUNTS_AT_ONCE) }, of)
const serverState = checked<ServerState>(checkServerState)

/** An account's desired state, and its order. */
const desired = object(
  {
    order,
    server: serverConfig,
    account: accountState,
    /** All areas if absent. */
    areas: optional(listOf(area, areaNames.length)),
  },
  'apply',
)
export type Desired = Output<typeof desired>

/** `changed` counts files written or removed: a second apply changes none. */
const areaResult = shape.fields({ area: shape.name as Schema<HostArea>, changed: shape.count })
export type AreaResult = Output<typeof areaResult>

/** What was skipped while the rest was applied. In a `home` only its owner can fix it. */
const warning = shape.fields({
  /** `trash`: what is left of a gone object could not be moved. */
  kind: shape.name as Schema<'home' | 'trash'>,
  account: shape.id,
  /** The gone object. */
  object: shape.maybe(shape.id),
  /** One sentence for users. */
  message: shape.sentence,
})
export type HostWarning = Output<typeof warning>

const applied = shape.fields({ areas: shape.list(areaResult, 100), warnings: shape.list(warning, 1000) })
export type ApplyResult = Output<typeof applied>

const removal = object(
  { order, account: accountName, belongings: optional(checked<Belongings>(checkBelongings)) },
  'remove',
)
export type Removal = Output<typeof removal>

/** An account that exists on the host; with the user id that may own its files, if its name was asked for. */
const hostAccount = shape.fields({ id: shape.id, username: shape.maybe(shape.name), uid: shape.maybe(shape.count) })
export type HostAccount = Output<typeof hostAccount>

const ofAccount = { account: ({ account }: { readonly account: { readonly id: string } }) => account.id }
const idsOf = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id)

/** What the agent itself carries out: it keeps the order of an account's states. */
export const stateCommands = {
  /** Makes the host match the account's state, all or nothing. */
  apply: command({ input: desired, result: applied, route: ofAccount, supersedes: true }),
  /** Removes an account from the host with its belongings, and moves its home to the trash. */
  remove: command({ input: removal, result: shape.none, route: ofAccount, supersedes: true }),
  /** Free space on the disk of the homes, in megabytes, if the system says it. */
  room: command({ input: nothing('room'), result: shape.fields({ diskFreeMb: shape.maybe(shape.count) }) }),
  /** All accounts on the host, by id alone; or those with these ids, with their names. */
  listAccounts: command({
    input: object({ ids: optional(listOf(text(/^[0-9A-Z]{26}$/), MAX_ACCOUNTS_AT_ONCE)) }, 'listAccounts'),
    result: shape.list(hostAccount),
    large: isLarge,
    fits: ({ ids }, found) => found.length <= (ids?.length ?? MAX_ACCOUNTS),
    subjects: { kind: 'account', ids: idsOf, among: ({ ids }) => ids },
  }),
}

const changed = shape.fields({ changed: shape.count })
export type ServerResult = Output<typeof changed>

const difference = {
  path: shape.text(8192),
  /** `surplus`: to be removed; `mode`: the same content; `fault`: it cannot be compared. */
  change: shape.oneOf('missing', 'changed', 'surplus', 'mode', 'moved', 'fault'),
  /** A unified diff, from the host to the store; absent if it could show a secret. */
  diff: shape.maybe(shape.text(2 ** 22)),
  note: shape.maybe(shape.sentence),
}
const aDifference = shape.fields(difference)
/** A file or directory on the host that differs from the panel's store. */
export type Difference = Output<typeof aDifference>

/** With the id of an account on another host, whose zones differ. */
const servedDifference = shape.fields({ id: shape.id, ...difference })
export type ServedDifference = Output<typeof servedDifference>

/** Without an account: the server's own state. */
const compared = object({ server: serverConfig, account: optional(accountState), state: optional(serverState) }, 'diff')
export type Compared = Output<typeof compared>

/** A service of the machine. */
const service = shape.fields({
  name: shape.name,
  /** The systemd unit; if each account has its own, the first failed one, or else their pattern. */
  unit: shape.maybe(shape.name),
  /** In systemd's terms: active, inactive, failed. */
  state: shape.maybe(shape.name),
  /** Its Debian package's version. */
  version: shape.maybe(shape.name),
})
export type ServiceState = Output<typeof service>

/** A kind of limit that this machine cannot enforce, and why, in one sentence. */
const unenforced = shape.fields({
  kind: shape.oneOf('cpu', 'memory', 'tasks', 'io', 'disk', 'inodes'),
  reason: shape.sentence,
})
export type Unenforced = Output<typeof unenforced>

/** A service whose own checker refuses its configuration. */
const misconfigured = shape.fields({
  name: shape.name,
  /** The checker's command line. */
  check: shape.sentence,
  /** What it says, with file and line. */
  reason: shape.sentence,
})
export type Misconfigured = Output<typeof misconfigured>

/** A version of PHP that is installed. */
const phpVersion = shape.fields({
  /** `8.4` */
  version: shape.exactly(/^\d{1,2}\.\d{1,2}$/),
  /** Whether it is Debian's own. */
  default: shape.flag,
  /** Those that a pool can load. */
  extensions: shape.list(shape.name, 500),
})
export type PhpVersion = Output<typeof phpVersion>

/** The properties of a real machine. */
const inspection = shape.fields({
  /** `Debian 13` */
  system: shape.name,
  services: shape.list(service, 1000),
  unenforced: shape.list(unenforced, 100),
  /** Older agents do not ask the checkers. */
  misconfigured: shape.maybe(shape.list(misconfigured, 100)),
  /** The type of the file system of /home, if it enforces quotas. */
  quota: shape.oneOf('none', 'ext4', 'xfs', 'btrfs'),
  /** The cgroup version; 0 without cgroups. */
  cgroup: shape.oneOf(0, 1, 2),
  /** Messages that wait in the mail server's queue; absent without one, and of older agents. */
  queuedMail: shape.maybe(shape.count),
  /** Older agents do not say. */
  php: shape.maybe(shape.list(phpVersion, 50)),
})
export type Inspection = Output<typeof inspection>

const probe = shape.fields({
  /** What was probed, such as `http alice.example`. */
  probe: shape.text(2000),
  ok: shape.flag,
  /** The answer, or what is wrong with it. */
  message: shape.sentence,
})
export type ProbeResult = Output<typeof probe>

const mailboxUsage = shape.fields({
  domain: shape.name,
  local: shape.name,
  bytes: shape.count,
  messages: shape.count,
})
export type MailboxUsage = Output<typeof mailboxUsage>

const usage = shape.fields({
  id: shape.id,
  diskMb: shape.count,
  inodes: shape.count,
  /** The CPU time of all its processes since the first of them started, if measured. */
  cpuMs: shape.maybe(shape.count),
  /** Its current memory use, if measured. */
  memoryMb: shape.maybe(shape.count),
  /** Set if the count stopped before the home's end. */
  atLeast: shape.mark,
  /** Sizes by name; absent if there is no server to ask. */
  databases: shape.maybe(shape.list(shape.fields({ name: shape.name, bytes: shape.count }), 10_000)),
  /** Recipients of its mail in the last 60 minutes; absent if nothing counts them. */
  sentThisHour: shape.maybe(shape.count),
  /** The mailboxes with a directory in the home. */
  mailboxes: shape.maybe(shape.list(mailboxUsage)),
})
export type AccountUsage = Output<typeof usage>

/** What a driver does with accounts and with the server's own state. */
export const hostCommands = {
  /** Makes the server's own state match the store, all or nothing. Returns how many files it wrote or removed. */
  applyServer: command({ input: serverState, result: changed }),
  /** Serves DNS zones of accounts on other hosts, all or nothing: the zones given for an account are all it has. */
  serveZones: command({ input: served('serveZones'), result: changed }),
  /** How the host differs from the zones that it should serve for accounts on other hosts. Read-only. */
  diffZones: command({
    input: served('diffZones'),
    result: shape.list(servedDifference),
    large: isLarge,
    subjects: { kind: 'account', ids: idsOf, among: (request) => idsOf(request.served) },
  }),
  /** Makes the name server replicate all zones of a primary; of none without one. */
  followPrimary: command({
    input: object({ primary: optional(checked<Primary>(checkPrimary)) }, 'followPrimary'),
    result: changed,
  }),
  /** How the host differs from an account's state, or, without one, from the server's own. Read-only. */
  diff: command({
    input: compared,
    result: shape.list(aDifference),
    route: { account: ({ account }) => account?.id },
    large: isLarge,
  }),
  /** Inspects the machine; null if the host is a directory. */
  inspect: command({ input: nothing('inspect'), result: shape.orNone(inspection) }),
  /** Queries the machine's services for what they should answer about an account. */
  verify: command({
    input: object({ server: serverConfig, account: accountState }, 'verify'),
    result: shape.list(probe),
    route: ofAccount,
  }),
  /** Measures usage; an account that is not on the host has none. */
  usage: command({
    input: object({ accounts: listOf(accountName, MAX_ACCOUNTS_AT_ONCE) }, 'usage'),
    result: shape.list(usage),
    route: {
      shares: {
        accounts: ({ accounts }) => idsOf(accounts),
        only: ({ accounts }, items) => ({ accounts: items.map((n) => accounts[n]!) }),
        merge: (_, shares) => shares.flatMap(({ result = [] }) => result),
      },
    },
    large: isLarge,
    fits: ({ accounts }, usages) => usages.length <= accounts.length,
    subjects: { kind: 'account', ids: idsOf, among: ({ accounts }) => idsOf(accounts) },
  }),
}
