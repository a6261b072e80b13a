import { gitRef } from '../../../shared/git-ref.ts'
import { appName, environment, relative, releaseNumber, shellLine, unitChecks } from '../../parts/apps.ts'
import { command, isLarge } from '../command.ts'
import {
  complete,
  depending,
  ipAddress,
  listOf,
  type Output,
  object,
  oneOf,
  optional,
  patterns,
  type Schema,
  text,
  that,
} from '../fields.ts'
import * as shape from '../shape.ts'
import { accountName, MAX_ACCOUNTS } from './names.ts'

const MAX_SECRETS = 200
const bytes = complete(0, Number.MAX_SAFE_INTEGER)

/** A value that becomes a whole line of a credential helper or of known_hosts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const line = (max: number) => text(/^[^\u0000-\u001f\u007f]+$/, max)

/** `TYPE BASE64` */
export const hostKey = text(/^[a-z0-9@.-]{1,64} [A-Za-z0-9+/]+={0,2}$/, 8192)

/** A repository, with everything needed to reach it. */
const gitSource = object(
  {
    kind: oneOf('git'),
    url: line(2048),
    /** A branch, a tag, or a commit of 40 digits; by default the repository's HEAD. */
    ref: optional(text(gitRef)),
    /** The address that the repository's host was approved with: git connects to no other. */
    address: ipAddress,
    username: optional(line(255)),
    password: optional(line(4096)),
    /** A private key in OpenSSH format. */
    deployKey: optional(
      text(/^-----BEGIN OPENSSH PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+-----END OPENSSH PRIVATE KEY-----\n$/, 16_384),
    ),
    /** Without one, trust the key that the repository's host presents. */
    hostKey: optional(hostKey),
  },
  'a repository',
)
export type GitSource = Output<typeof gitSource>

/** An archive that was uploaded into the home. */
const uploadSource = object(
  { kind: oneOf('upload'), id: text(patterns.id), size: bytes, sha256: optional(text(/^[0-9a-f]{64}$/)) },
  'an upload',
)
export type UploadSource = Output<typeof uploadSource>

/** An existing release. */
const retainedSource = object({ kind: oneOf('retained') }, 'a release')

type Source = GitSource | UploadSource | Output<typeof retainedSource>
const sources: ReadonlyMap<unknown, Schema<Source>> = new Map<unknown, Schema<Source>>([
  ['git', gitSource],
  ['upload', uploadSource],
  ['retained', retainedSource],
])
const ofNoKind: Schema<Source> = that(() => false)
const source = depending((value) => sources.get((value as Partial<Source> | null | undefined)?.kind) ?? ofNoKind)

const deployRequest = object(
  {
    account: accountName,
    /** Its current state: `release` is the one to replace. */
    app: object({ ...unitChecks, env: environment }, 'an app'),
    release: releaseNumber,
    source,
    /** For a static or php app, defaults to `public` if that exists. */
    root: optional(relative),
    install: optional(shellLine),
    build: optional(shellLine),
    buildTimeoutS: complete(1, 3600),
    /** The names in `env` whose values are masked in the log. */
    secrets: listOf(text(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/), MAX_SECRETS),
    /** How many bytes the account may still write. */
    room: optional(bytes),
    /** How many files and directories it may still make. */
    inodes: optional(bytes),
  },
  'deployApp',
)
export type DeployRequest = Output<typeof deployRequest>

/** A release that is built and healthy, beside the current one. */
const deployed = shape.fields({
  commit: shape.maybe(shape.plain(100)),
  sizeBytes: shape.count,
  root: shape.text(4096),
  /** If the app listens on one. */
  port: shape.maybe(shape.count),
  /** The host key of the repository's host, `TYPE BASE64`. */
  hostKey: shape.maybe(shape.plain(20_000)),
  warnings: shape.sentences,
})
export type Deployed = Output<typeof deployed>

const nameFields = { account: accountName, id: text(patterns.id), name: appName }
const name = (of: string) => object(nameFields, of)
const anApp = name('an app')
/** Identifies an app. */
export type AppName = Output<typeof anApp>

/** `keep`: the releases to keep beside the current one; all of them if absent. */
const settling = object({ app: anApp, keep: optional(listOf(releaseNumber, 1000)) }, 'settleApp')
export type AppSettling = Output<typeof settling>

const status = shape.fields({
  id: shape.id,
  status: shape.oneOf('stopped', 'starting', 'running', 'crashed'),
  /** One sentence for users. */
  reason: shape.maybe(shape.sentence),
  /** The release that serves now. */
  release: shape.maybe(shape.count),
})
export type AppStatus = Output<typeof status>

/** `at` identifies this answer: it differs after each change. */
const statuses = shape.fields({ at: shape.name, items: shape.list(status, MAX_ACCOUNTS) })
export type AppStatuses = Output<typeof statuses>

/** The apps of accounts. Applying the part `apps` decides which release is current, and what runs. */
export const appCommands = {
  /**
   * Builds a release from scratch and starts it beside the current one, until it is healthy: applying it as current
   * then switches to it. A failed one leaves nothing.
   */
  deployApp: command({ input: deployRequest, result: deployed, route: { account: ({ account }) => account.id } }),
  /** Waits until the app is as applied: healthy or stopped, with no other process; removes other releases. */
  settleApp: command({ input: settling, result: status, route: { account: ({ app }) => app.account.id } }),
  /** Restarts it without losing a request: the old process serves until the new one is healthy. */
  restartApp: command({ input: name('restartApp'), result: status, route: { account: ({ account }) => account.id } }),
  /** At once, or with `after`, when it differs from that answer. */
  appStatus: command({
    input: object({ after: optional(text(/^[0-9a-f-]{1,64}:\d{1,15}$/)) }, 'appStatus'),
    result: statuses,
    large: isLarge,
    subjects: { kind: 'app', ids: ({ items }) => items.map(({ id }) => id) },
  }),
}
