import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A command line to measure: how it starts, and how it is told to stay on loopback. */
export interface Program {
  readonly name: string
  readonly version: string
  readonly file: string
  readonly list: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'panel-bench')
const minutes = 60_000

interface Other {
  readonly name: string
  /** The newest that runs on Node 20 and has all that it needs on the registry. */
  readonly version: string
  readonly file: string
  list(url: string): readonly string[]
  env(url: string): Readonly<Record<string, string>>
}

const others: readonly Other[] = [
  {
    name: 'vercel',
    version: '48.0.0',
    file: 'dist/index.js',
    list: (url) => ['project', 'ls', '--api', url, '--token', 'stub'],
    env: () => ({ VERCEL_TELEMETRY_DISABLED: '1', NO_UPDATE_NOTIFIER: '1' }),
  },
  {
    name: 'wrangler',
    version: '4.50.0',
    file: 'bin/wrangler.js',
    list: () => ['kv', 'namespace', 'list'],
    env: (url) => ({
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_API_BASE_URL: `${url}/client/v4`,
      CLOUDFLARE_API_TOKEN: 'stub',
      CLOUDFLARE_ACCOUNT_ID: 'stub',
      npm_config_registry: url,
    }),
  },
]

/** panel, and each of the others that installs. */
export function programs(url: string): Program[] {
  const file = fileURLToPath(new URL('../../bin/panel.js', import.meta.url))
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const env = { PANEL_URL: url, PANEL_TOKEN: 'stub' }
  const own = { name: 'panel', version, file, list: ['accounts', 'list'], env }
  return [own, ...others.flatMap((other) => installed(other, url))]
}

function installed({ name, version, file, list, env }: Other, url: string): Program[] {
  const folder = join(cache, `${name}-${version}`)
  const program = join(folder, 'node_modules', name, file)
  if (!existsSync(program)) install(folder, `${name}@${version}`)
  if (existsSync(program)) return [{ name, version, file: program, list: list(url), env: { CI: '1', ...env(url) } }]
  process.stderr.write(`${name} ${version} could not be installed: left out\n`)
  return []
}

/** Outside the repository, without running what packages would run. */
function install(folder: string, what: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', what]
  try {
    execFileSync('npm', words, { cwd: folder, stdio: 'ignore', timeout: 3 * minutes })
  } catch {
    // Whoever asks sees that it is not there.
  }
}
