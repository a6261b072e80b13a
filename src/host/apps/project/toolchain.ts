import type { Directory } from '../../homes/home/directory.ts'
import { markName } from '../../tenant/mark.ts'
import { runProgram } from '../../tenant/program.ts'
import { isExecutable, oneLine, programIn } from './files.ts'
import type { Callable } from './install-plan.ts'
import { fulfils, nodeFolders, pythonFolders, pythonName, type Requested, requestedVersions } from './versions.ts'

/** Where and how programs of the toolchain are run. */
export interface Tools {
  readonly kind: 'node' | 'python'
  readonly directory: Directory
  readonly cwd: string
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly line: (text: string) => void
}

/** A probe of a program may download that program. */
const PROBE_TIMEOUT_MS = 60_000

async function outputOf({ cwd, env, signal }: Tools, words: readonly string[]): Promise<string | undefined> {
  let last = ''
  const line = (text: string): void => {
    last = text.trim()
  }
  const mark = env[markName] ?? ''
  const end = await runProgram({ words, cwd, env, mark, signal, timeoutMs: PROBE_TIMEOUT_MS, line })
  return end.exitCode === 0 && !end.signal ? last : undefined
}

/** How a package manager is called: itself, else by corepack, which must be able to get it. */
export const callableIn =
  (tools: Tools): Callable =>
  async (manager, version) => {
    const path = tools.env['PATH'] ?? ''
    const isOwn = programIn(path, manager) !== undefined
    if (manager === 'npm' || (isOwn && version === undefined)) return manager
    const call = `corepack ${manager}${version === undefined ? '' : `@${version}`}`
    const hasCorepack = manager !== 'bun' && programIn(path, 'corepack') !== undefined
    if (hasCorepack) {
      tools.line(`$ ${call} --version`)
      if ((await outputOf(tools, [...call.split(' '), '--version'])) !== undefined) return call
    }
    return isOwn ? manager : undefined
  }

/** A version that fulfils what the source asks for, by its directory; the host's own has none. */
export interface Toolchain {
  readonly folder?: string
  /** The name of its program, if it has one of its own. */
  readonly program?: string
  readonly warning?: string
}

export async function toolchainOf(tools: Tools): Promise<Toolchain> {
  const requested = await requestedVersions(tools.kind, tools.directory)
  if (requested.length === 0) return {}
  return tools.kind === 'node' ? nodeToolchain(tools, requested) : pythonToolchain(tools, requested[0]!)
}

const isMet = (version: string, requested: readonly Requested[]): boolean =>
  requested.every((one) => fulfils(version, one.version) === true)

async function nodeToolchain(tools: Tools, requested: readonly Requested[]): Promise<Toolchain> {
  const own = await outputOf(tools, ['node', '--version'])
  if (own !== undefined && isMet(own, requested)) return {}
  for (const folder of nodeFolders(tools.home).reverse()) {
    if (!isExecutable(`${folder}/node`)) continue
    const version = await outputOf(tools, [`${folder}/node`, '--version'])
    if (version !== undefined && isMet(version, requested)) return { folder }
  }
  return { warning: notMet('Node.js', own?.replace(/^v/, ''), requested) }
}

async function pythonToolchain(tools: Tools, requested: Requested): Promise<Toolchain> {
  const name = pythonName(requested.version)
  const own = (await outputOf(tools, ['python3', '--version']))?.replace(/^Python /, '')
  if (name === undefined ? fulfils(own ?? '0.0.0', requested.version) : `python${own}.`.startsWith(`${name}.`))
    return {}
  if (name !== undefined && programIn(tools.env['PATH'] ?? '', name)) return { program: name }
  const folder = pythonFolders(tools.home).find((one) => name !== undefined && isExecutable(`${one}/${name}`))
  if (folder) return { folder, program: name! }
  return { warning: notMet('Python', own, [requested]) }
}

function notMet(program: string, own: string | undefined, requested: readonly Requested[]): string {
  const unmet = requested.filter(({ version }) => fulfils(own ?? '0.0.0', version) !== true)
  const list = (unmet.length > 0 ? unmet : requested).map(
    ({ version, from }) => `${oneLine(version.slice(0, 100))} (${from})`,
  )
  const has = own === undefined ? `which this host does not have` : `but this host has ${own}, which is used`
  return `The source asks for the version of ${program} ${list.join(', ')}, ${has}.`
}
