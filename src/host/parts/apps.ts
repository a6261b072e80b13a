import { envName } from '../../shared/env-name.ts'
import type { AccountCore } from '../contract/account.ts'
import { type AppUnit, appKinds } from '../contract/apps.ts'
import {
  complete,
  depending,
  fields,
  listOf,
  MAX_TEXT_LENGTH,
  objectOf,
  oneOf,
  optional,
  patterns,
  type Schema,
  text,
  that,
  yesOrNo,
} from '../contract/fields.ts'
import { part } from './part.ts'
import { nothing, systemDir, systemFile } from './spec.ts'

export interface AppsState {
  readonly apps: readonly AppUnit[]
  /** Apps being deleted. */
  readonly gone: readonly { readonly id: string; readonly name: string }[]
}

const maxApps = 10_000
const maxNames = 200
const maxEnvironment = 256 * 1024
const maxCommand = 2048
export const lowestPort = 20_000
export const highestPort = 29_999
export const appFolder = 'etc/panel/apps'

export const appName = text(/^[a-z][a-z0-9-]{0,30}$/)
export const relative = text(/^(?!.*(?:^|\/)\.\.(?:\/|$))(?:\.|[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*)$/, 512)
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
export const shellLine = text(/^[^\u0000-\u0008\u000a-\u001f\u007f-\u009f]+$/, maxCommand)
export const releaseNumber = complete(1, 2 ** 31)

const isName = (name: string): boolean => name.length <= MAX_TEXT_LENGTH && envName.test(name)
const isSetting = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= maxEnvironment && !value.includes('\0')

const tooMany: Schema<AppUnit['env']> = that(() => false, 'list of {}')
/** Each own name counts, `constructor` included. */
const settings: Schema<AppUnit['env']> = that((env) =>
  Object.entries(env ?? {}).every(([name, value]) => isName(name) && isSetting(value)),
)

export const environment = optional(
  depending((env) => (Object.keys(env ?? {}).length > maxNames ? tooMany : settings)),
) as Schema<AppUnit['env']>

/** Also for an app in an order. */
export const unitChecks = {
  id: text(patterns.id),
  name: appName,
  kind: oneOf(...appKinds),
  listen: oneOf('socket', 'port'),
  running: yesOrNo,
  release: optional(releaseNumber),
  port: optional(complete(lowestPort, highestPort)),
  start: optional(shellLine),
  host: text(patterns.hostname),
  healthPath: text(/^\/(?:[!-~]{0,1023})$/, 1024),
  healthTimeoutS: complete(1, 300),
  env: environment,
}

const unit = objectOf<AppUnit>({ ...unitChecks, root: relative }, 'an app')
const goneApp = objectOf<AppsState['gone'][number]>({ id: text(patterns.id), name: appName }, 'an app')

/** An app's record on the host, for whatever runs it. */
export interface AppFile extends AppUnit {
  readonly account: string
  readonly username: string
  readonly uid: number
}

export const appPath = (id: string): string => `${appFolder}/${id}.json`

const fileOf = ({ id: account, username, uid }: AccountCore, app: AppUnit) => {
  const file: AppFile = { account, username, uid, ...app }
  return systemFile(appPath(app.id), 0o600, [JSON.stringify(file)])
}

/** An account's apps: each one's current release, and whether it runs. A suspended account has none. */
export const apps = part({
  name: 'apps',
  dirs: [systemDir(appFolder, 0o700)],
  check: fields<AppsState>({ apps: listOf(unit, maxApps), gone: listOf(goneApp, maxApps) }, 'apps'),
  render: (core, { apps }) => (core.suspended ? nothing : { dirs: [], files: apps.map((app) => fileOf(core, app)) }),
  gone: ({ gone }) => gone.map(({ id, name }) => ({ id, path: `apps/${name}` })),
})
