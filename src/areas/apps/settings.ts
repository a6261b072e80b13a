import { appDefaults } from '../../contract/apps/settings.ts'
import { invalid } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { readGitUrl } from '../../shared/git-url.ts'
import { newDeployKey } from './deploy-key.ts'
import { isProgram } from './kinds.ts'
import { purposes } from './stored.ts'
import type { AppRow } from './tables.ts'

type StoredSettings = Pick<
  AppRow,
  | 'git_url'
  | 'git_branch'
  | 'git_username'
  | 'git_password'
  | 'listen'
  | 'root'
  | 'install'
  | 'build'
  | 'start'
  | 'build_timeout_s'
  | 'health_path'
  | 'health_timeout_s'
  | 'keep_releases'
  | 'running'
>

/** The defaults. */
export const unset: StoredSettings = {
  git_url: null,
  git_branch: null,
  git_username: null,
  git_password: null,
  root: null,
  install: null,
  build: null,
  start: null,
  ...appDefaults,
}

/** Settings in a request; null resets to the default. */
export type SettingsInput = { readonly [Name in keyof StoredSettings]?: StoredSettings[Name] | null }

/** Settings as stored: defaults for null, secrets encrypted. */
export function storedSettings({ runtime }: Context, input: SettingsInput): Partial<StoredSettings> {
  const provided = Object.entries(input).filter(([name, value]) => name in unset && value !== undefined)
  const stored = Object.fromEntries(
    provided.map(([name, value]) => [name, value ?? unset[name as keyof StoredSettings]]),
  )
  const { git_password: password } = input
  return { ...stored, ...(password ? { git_password: runtime.seal(purposes.password, password) } : {}) }
}

/** 400 for incompatible settings, whenever they were set. */
export function refuseMismatch({ kind, start }: Pick<AppRow, 'kind' | 'start'>): void {
  if (start !== null && !isProgram(kind)) throw invalid('start', `is not for a ${kind} app, which is not started`)
  if (start === null && kind === 'python') throw invalid('start', 'is required for a python app')
}

/** Commands may contain a password, too. */
const unnoted = new Set(['git_password', 'private_key', 'install', 'build', 'start'])

/** The settings' values for the audit trail. */
export const noted = (from: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names.filter((name) => !unnoted.has(name)).map((name) => [name, (from as Record<string, unknown>)[name]]),
  )

type DeployKeyColumns = Pick<AppRow, 'deploy_key' | 'private_key'>

export function newKey(
  { runtime }: Context,
  { username }: { readonly username: string },
  name: string,
): DeployKeyColumns {
  const { publicKey, privateKey } = newDeployKey(`${username}-${name}@${runtime.hostname}`)
  return { deploy_key: publicKey, private_key: runtime.seal(purposes.key, privateKey) }
}

/** Ensures a deploy key for an app whose repository uses ssh. */
export function neededKey(
  ctx: Context,
  account: { readonly username: string },
  app: AppRow,
): Partial<DeployKeyColumns> {
  const isSsh = app.git_url !== null && readGitUrl(app.git_url)?.scheme === 'ssh'
  return isSsh && app.deploy_key === null ? newKey(ctx, account, app.name) : {}
}
