import { parseEnv } from 'node:util'
import type { WordpressFiles } from '../../contract/commands/files.ts'
import { wordpressPatterns } from '../../contract/files.ts'
import { readConfig, type WrittenConfig } from './config.ts'
import { phpTokens } from './php-tokens.ts'

type Environment = ReadonlyMap<string, string | undefined>

/** The text of a file, one character for each byte, or why it was not read. */
export type FileText = string | { readonly left: 'large' | 'unreadable' }

/** The files that say what an installation is. */
export interface SiteFiles {
  /** Of the directories from the document root to that of the core. */
  readonly names: readonly string[]
  readonly version: FileText
  /** Its `wp-config.php`, and how many directories above the core it is. */
  readonly config: { readonly text: FileText; readonly up: number } | undefined
  /** The `index.php` above the core. */
  readonly index: FileText | undefined
  /** A file in the core's directory, or so many above it. */
  readonly read: (path: readonly string[], up: number) => Promise<FileText | undefined>
}

export async function describeFiles(files: SiteFiles): Promise<WordpressFiles> {
  const { names, config } = files
  const core = pathOf(names)
  const path = hasOwnDirectory(files) ? pathOf(names.slice(0, -1)) : core
  const version = versionIn(files.version)
  const settings = config ? await settingsOf(files, config) : { problem: 'config-missing' as const }
  const problem = settings.problem ?? (version === undefined ? 'version-unknown' : undefined)
  const { multisite = false, staging = false, problem: _, ...known } = settings
  return {
    path,
    core,
    ...(version !== undefined && { version }),
    ...known,
    multisite,
    staging,
    ...(problem && { problem }),
  }
}

const pathOf = (names: readonly string[]): string => `/${names.join('/')}`

/** Whether the pages are those of the directory above: its `index.php` loads this core. */
function hasOwnDirectory({ names, index }: SiteFiles): boolean {
  const name = names.at(-1)
  if (name === undefined || typeof index !== 'string') return false
  const loaded = `/${Buffer.from(name).toString('latin1')}/wp-blog-header.php`
  return phpTokens(index).some(({ kind, text }) => kind === 'literal' && `/${text}`.endsWith(loaded))
}

function versionIn(text: FileText): string | undefined {
  if (typeof text !== 'string') return undefined
  const tokens = phpTokens(text)
  const at = tokens.findIndex(({ kind, text: name }) => kind === 'variable' && name === '$wp_version')
  const value = at >= 0 && tokens[at + 1]?.text === '=' ? tokens[at + 2] : undefined
  return value?.kind === 'literal' && wordpressPatterns.version.test(value.text) ? value.text : undefined
}

type Settings = Partial<Pick<WordpressFiles, 'database' | 'prefix' | 'multisite' | 'staging' | 'problem'>>

async function settingsOf(files: SiteFiles, { text, up }: NonNullable<SiteFiles['config']>): Promise<Settings> {
  if (typeof text !== 'string') return { problem: `config-${text.left}` }
  const written = readConfig(text)
  const application = written.isBedrock ? await files.read(['config', 'application.php'], up + 1) : undefined
  const config = typeof application === 'string' ? readConfig(application) : written
  const environment = await environmentOf(files, config, up)
  const value = valuesOf(config, environment)
  const [database, prefix] = [value('DB_NAME'), prefixOf(config, environment)]
  return {
    ...(database !== undefined && wordpressPatterns.database.test(database) && { database }),
    ...(prefix !== undefined && wordpressPatterns.prefix.test(prefix) && { prefix }),
    multisite: /^(?:true|1)$/.test(value('MULTISITE') ?? ''),
    staging: value('WP_ENVIRONMENT_TYPE') === 'staging' || value('WP_ENV') === 'staging',
    problem: written.problem ?? config.problem ?? problemOf(database, prefix),
  }
}

function problemOf(database: string | undefined, prefix: string | undefined): Settings['problem'] {
  if (database === undefined || !wordpressPatterns.database.test(database)) return 'database-unknown'
  return prefix !== undefined && wordpressPatterns.prefix.test(prefix) ? undefined : 'prefix-invalid'
}

/** The variables of a `.env` file: beside the configuration, or beside Bedrock's. */
async function environmentOf(files: SiteFiles, config: WrittenConfig, up: number): Promise<Environment> {
  const isUsed = [...config.constants.values(), config.prefix].some((one) => one && 'env' in one)
  if (!isUsed) return new Map()
  for (const above of [up, up + 1]) {
    const text = await files.read(['.env'], above)
    if (typeof text === 'string') return new Map(Object.entries(parseEnv(text)))
  }
  return new Map()
}

const valuesOf =
  ({ constants }: WrittenConfig, environment: Environment) =>
  (name: string): string | undefined =>
    textOf(constants.get(name), environment)

const prefixOf = ({ prefix }: WrittenConfig, environment: Environment): string | undefined =>
  textOf(prefix, environment)

function textOf(value: WrittenConfig['prefix'], environment: Environment): string | undefined {
  if (!value) return undefined
  const text = 'env' in value ? (environment.get(value.env) ?? value.otherwise) : value.text
  return text === undefined ? undefined : Buffer.from(text, 'latin1').toString('utf8')
}
