import { gitRef } from '../../shared/git-ref.ts'
import type { AppName, AppSettling, DeployRequest, GitSource, RetainedSource, UploadSource } from '../contract/apps.ts'
import { checkAccountName } from '../contract/check.ts'
import {
  complete,
  type FieldCheck,
  fields,
  ipAddress,
  listOf,
  object,
  oneOf,
  optional,
  patterns,
  text,
} from '../contract/fields.ts'
import { appName, relative, releaseNumber, shellLine, unitChecks } from '../parts/apps.ts'
import type { BuiltRelease } from './app-runner.ts'

const account: FieldCheck = (value) => checkAccountName(value as never)
const maxNames = 200
const bytes = complete(0, Number.MAX_SAFE_INTEGER)

/** A value that becomes a whole line of a credential helper or of known_hosts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const line = (max: number) => text(/^[^\u0000-\u001f\u007f]+$/, max)

const hostKey = text(/^[a-z0-9@.-]{1,64} [A-Za-z0-9+/]+={0,2}$/, 8192)

const git = object<GitSource>(
  {
    kind: oneOf('git'),
    url: line(2048),
    ref: optional(text(gitRef)),
    address: ipAddress,
    username: optional(line(255)),
    password: optional(line(4096)),
    deployKey: optional(
      text(/^-----BEGIN OPENSSH PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+-----END OPENSSH PRIVATE KEY-----\n$/, 16_384),
    ),
    hostKey: optional(hostKey),
  },
  'a repository',
)
const upload = object<UploadSource>(
  { kind: oneOf('upload'), id: text(patterns.id), size: bytes, sha256: optional(text(/^[0-9a-f]{64}$/)) },
  'an upload',
)
const retained = object<RetainedSource>({ kind: oneOf('retained') }, 'a release')

const sources: Readonly<Record<DeployRequest['source']['kind'], FieldCheck>> = { git, upload, retained }

const source: FieldCheck = (value, field) => {
  const { kind } = (value ?? {}) as { kind?: DeployRequest['source']['kind'] }
  oneOf(...Object.keys(sources))(kind, field)
  sources[kind!](value, field)
}

const app = object<AppName>({ account, id: text(patterns.id), name: appName }, 'an app')

/**
 * Validates what a tenant's build process reports: its own commands ran beside it, and could have answered in its
 * place.
 */
export const checkMade = fields<BuiltRelease>(
  {
    commit: optional(text(/^[0-9a-f]{40,64}$/)),
    sizeBytes: bytes,
    root: relative,
    hostKey: optional(hostKey),
    warnings: listOf(text(/^/, 16_384), 1000),
  },
  'a release',
)

/** The input of each app command, field by field. */
export const appChecks = {
  deployApp: fields<DeployRequest>(
    {
      account,
      app: object<DeployRequest['app']>(unitChecks, 'an app'),
      release: releaseNumber,
      source,
      root: optional(relative),
      install: optional(shellLine),
      build: optional(shellLine),
      buildTimeoutS: complete(1, 3600),
      secrets: listOf(text(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/), maxNames),
      room: optional(bytes),
    },
    'deployApp',
  ),
  settleApp: fields<AppSettling>({ app, keep: optional(listOf(releaseNumber, 1000)) }, 'settleApp'),
  restartApp: fields<AppName>({ account, id: text(patterns.id), name: appName }, 'restartApp'),
  appStatus: fields<{ after?: string | undefined }>(
    { after: optional(text(/^[0-9a-f-]{1,64}:\d{1,15}$/)) },
    'appStatus',
  ),
}
