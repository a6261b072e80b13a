import type { AppKind } from '../../contract/apps.ts'
import type { Directory } from '../../homes/home/directory.ts'
import { hasFile, textIn } from './files.ts'
import { packageJsonIn } from './package-json.ts'

/** How to install a source's dependencies. */
export interface InstallPlan {
  /** Nothing is installed without one. */
  readonly command?: string | undefined
  /** Removes what only the build needed. */
  readonly prune?: string | undefined
  /** Variables for these commands only. */
  readonly env?: Readonly<Record<string, string>>
  /** For the log alone. */
  readonly notes?: readonly string[]
  readonly warnings?: readonly string[]
}

/** How a package manager can be called on this host; undefined if it cannot. */
export type Callable = (manager: Manager, version?: string) => Promise<string | undefined>

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun'

const lockFiles: readonly (readonly [string, Manager])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
]

/** What this host has for it. */
export interface Available {
  readonly callable: Callable
  /** The program of the version of Python to use. */
  readonly python?: string | undefined
}

export async function installPlan(
  kind: AppKind,
  directory: Directory,
  { callable, python = 'python3' }: Available,
): Promise<InstallPlan> {
  if (kind === 'node') return nodePlan(directory, callable)
  return kind === 'python' ? pythonPlan(directory, python) : {}
}

async function nodePlan(directory: Directory, callable: Callable): Promise<InstallPlan> {
  const json = await packageJsonIn(directory)
  if (!json) return { notes: ['There is no package.json: nothing is installed.'] }
  const locks = await locksIn(directory)
  if (locks.length > 0) return withLock(directory, locks, json.manager, callable)
  if (!json.hasDependencies) return { notes: ['package.json names no dependencies: nothing is installed.'] }
  if (await hasModules(directory)) return { notes: ['node_modules is part of the source: nothing is installed.'] }
  return {
    ...npmInstall,
    warnings: [
      `There is no lock file (${lockFiles.map(([name]) => name).join(', ')}): npm chooses the versions, which may differ in each release. Add the lock file to the source.`,
    ],
  }
}

const hasModules = async (directory: Directory): Promise<boolean> =>
  (await directory.find(Buffer.from('node_modules')))?.isDirectory() ?? false

type Lock = (typeof lockFiles)[number]

async function locksIn(directory: Directory): Promise<Lock[]> {
  const found: Lock[] = []
  for (const lock of lockFiles) if (await hasFile(directory, lock[0])) found.push(lock)
  return found
}

async function withLock(
  directory: Directory,
  locks: readonly Lock[],
  named: string | undefined,
  callable: Callable,
): Promise<InstallPlan> {
  const [file, manager] = locks.find(([, one]) => one === named) ?? locks[0]!
  const others = locks.filter(([, one]) => one !== manager).map(([name]) => name)
  const warnings =
    others.length === 0 ? [] : [`There are several lock files: ${file} is used, not ${others.join(', ')}.`]
  const isBerry = manager === 'yarn' && (await textIn(directory, file)).includes('\n__metadata:')
  const call = await callable(manager, isBerry && named !== 'yarn' ? 'stable' : undefined)
  if (call !== undefined) return { ...planOf(manager, call, isBerry), warnings }
  const reason = `${file} is of ${manager}, which this host has neither itself nor by corepack`
  return {
    ...npmInstall,
    warnings: [...warnings, `${reason}: npm install was used, and versions may differ from the lock file.`],
  }
}

const quietly = '--no-audit --no-fund'
const npmPrune = `npm prune --omit=dev --ignore-scripts ${quietly}`
const npmInstall: InstallPlan = { command: `npm install ${quietly}`, prune: npmPrune }

function planOf(manager: Manager, call: string, isBerry: boolean): InstallPlan {
  if (manager === 'npm') return { command: `npm ci ${quietly}`, prune: npmPrune }
  const frozen = `${call} install --frozen-lockfile`
  if (manager === 'pnpm')
    return { command: frozen, prune: `${call} prune --prod --ignore-scripts`, env: { CI: 'true' } }
  // It has no command that removes them.
  if (manager === 'bun') return { command: frozen, notes: ['bun keeps the dependencies that only the build needs.'] }
  if (!isBerry)
    return {
      command: `${frozen} --non-interactive`,
      prune: `${call} install --production --frozen-lockfile --ignore-scripts --prefer-offline --non-interactive`,
    }
  return {
    command: `${call} install --immutable`,
    prune: `${call} workspaces focus --all --production`,
    // What npm start can run.
    env: { YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_TELEMETRY: '0' },
  }
}

const pip = '.venv/bin/pip install --disable-pip-version-check'
const otherLocks = ['poetry.lock', 'uv.lock', 'pdm.lock', 'Pipfile.lock', 'Pipfile', 'environment.yml'] as const

async function pythonPlan(directory: Directory, python: string): Promise<InstallPlan> {
  const unused: string[] = []
  for (const name of otherLocks) if (await hasFile(directory, name)) unused.push(name)
  const venv = `${python} -m venv .venv`
  if (await hasFile(directory, 'requirements.txt')) return { command: `${venv} && ${pip} -r requirements.txt` }
  const installable = (await isPackage(directory)) ? { command: `${venv} && ${pip} .` } : {}
  if (unused.length > 0)
    return {
      ...installable,
      warnings: [
        installable.command
          ? `${unused.join(', ')} is not read: pip chose the versions by pyproject.toml. Export requirements.txt from it.`
          : `${unused.join(', ')} is not read, so nothing was installed: export requirements.txt from it, or set --install.`,
      ],
    }
  if (installable.command) return installable
  return { notes: ['There is no requirements.txt and no pyproject.toml: nothing is installed.'] }
}

/** A pyproject.toml may also be the configuration of tools alone. */
async function isPackage(directory: Directory): Promise<boolean> {
  if (await hasFile(directory, 'setup.py')) return true
  return /^\[(?:project|tool\.poetry|build-system)\]/m.test(await textIn(directory, 'pyproject.toml'))
}

/** Variables by which a program's environment keeps a package manager from installing what a build needs. */
const production: Readonly<Record<string, RegExp>> = {
  NODE_ENV: /^production$/,
  NPM_CONFIG_PRODUCTION: /^true$/,
  npm_config_production: /^true$/,
  NPM_CONFIG_OMIT: /dev/,
  npm_config_omit: /dev/,
  YARN_PRODUCTION: /^true$/,
}

type Env = Readonly<Record<string, string | undefined>>
const leaks = (env: Env): string[] => Object.keys(production).filter((name) => production[name]!.test(env[name] ?? ''))

export const isProduction = (env: Env): boolean => leaks(env).length > 0

/** An environment in which everything is installed. */
export function installEnv(env: Env): Env {
  const left = new Set(leaks(env))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !left.has(name)))
}
