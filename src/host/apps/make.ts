import { join } from 'node:path'
import { deployShares } from '../contract/apps.ts'
import type { Deployed, DeployRequest } from '../contract/commands/apps.ts'
import { HostError } from '../contract/error.ts'
import { type Directory, holding } from '../homes/home/directory.ts'
import { removeAll } from '../homes/home/remove.ts'
import { homeOf } from '../homes/home-paths.ts'
import { measure } from '../measure/walk.ts'
import { environmentOf } from '../tenant/environment.ts'
import { markName } from '../tenant/mark.ts'
import { type ProgramEnd, runProgram } from '../tenant/program.ts'
import { runsProcess } from './app.ts'
import type { BuildLog } from './build-log.ts'
import { type AppHost, notTrusted } from './config.ts'
import { defaultRoot, downTo, hasRoot, wrapperOf } from './defaults.ts'
import { fetchRepository } from './git/fetch.ts'
import { hintIn } from './hints.ts'
import { textIn } from './project/files.ts'
import { type InstallPlan, installEnv, installPlan, isProduction } from './project/install-plan.ts'
import { callableIn, type Toolchain, type Tools, toolchainOf } from './project/toolchain.ts'
import { within } from './quota.ts'
import { nameOf, partialOf, Releases } from './releases.ts'
import { appMark, programsOf, toolchainFile } from './runnable.ts'
import { validateTree } from './tree.ts'
import { unpackUpload } from './upload.ts'

export interface MakingOf {
  readonly host: Pick<AppHost, 'root' | 'trusted' | 'onFailPoint'>
  readonly order: DeployRequest
  /** The PATH, if not the usual one. */
  readonly path?: string | undefined
  /** A private directory for git; removed at the end. */
  readonly separate: string
  readonly log: BuildLog
  readonly signal: AbortSignal
}

interface Making extends MakingOf {
  readonly releases: Releases
  /** What its owner should know of a release that works. */
  readonly warnings: string[]
}

type DeploySource = Pick<Deployed, 'commit' | 'hostKey'>

/** Builds a release from scratch: an incomplete one has another name, and a failed one leaves nothing. */
export async function makeRelease(making: MakingOf): Promise<Omit<Deployed, 'port'>> {
  const { host, order } = making
  const releases = await Releases.open(join(host.root, homeOf(order.account.username)), order.app.name)
  return makeIn({ ...making, releases, warnings: [] }).finally(() => releases.close())
}

async function makeIn(making: Making): Promise<Omit<Deployed, 'port'>> {
  const { host, order, releases } = making
  if (order.source.kind === 'retained') return retainedRelease(making)
  const partial = await releases.begin(order.release)
  try {
    await host.onFailPoint('release-begun')
    const deadline = performance.now() + order.buildTimeoutS * 1000
    const { root, ...source } = await within(pathOf(making), order, making.signal, (signal) =>
      fill({ ...making, signal }, partial, () => Math.max(1, deadline - performance.now())),
    )
    await host.onFailPoint('release-built')
    await releases.finish(order.release)
    await host.onFailPoint('release-named')
    return { ...source, root, sizeBytes: await sizeOf(making), warnings: making.warnings }
  } catch (error) {
    await releases.remove(order.release)
    throw error
  } finally {
    await partial.close()
  }
}

async function retainedRelease(making: Making): Promise<Omit<Deployed, 'port'>> {
  const { order, releases } = making
  if (!(await releases.has(order.release)))
    throw new HostError('stage', `The files of release ${order.release} are missing.`)
  const root = await holding(releases.down(nameOf(order.release)), (release) => rootOf(making, release))
  return { root, sizeBytes: await sizeOf(making), warnings: [] }
}

const releasesPath = ({ host, order }: Making): string =>
  join(host.root, homeOf(order.account.username), 'apps', order.app.name, 'releases')
const pathOf = (making: Making): string => join(releasesPath(making), String(partialOf(making.order.release)))
const sizeOf = async (making: Making): Promise<number> =>
  (await measure(join(releasesPath(making), String(making.order.release)))).bytes

type TimeLeft = () => number

async function fill(
  making: Making,
  partial: Directory,
  left: TimeLeft,
): Promise<DeploySource & { readonly root: string }> {
  const { host } = making
  const source = await fetched(making, partial, left)
  await host.onFailPoint('release-fetched')
  await build(making, partial, left)
  return { ...source, root: await rootOf(making, partial) }
}

async function fetched(making: Making, partial: Directory, left: TimeLeft): Promise<DeploySource> {
  const { order, signal, log, host } = making
  const { source, account } = order
  if (source.kind === 'retained') return {}
  if (source.kind === 'upload') {
    const home = join(host.root, homeOf(account.username))
    log.line('Unpacking the archive.')
    for (const warning of await unpackUpload(home, source, partial, { ...order, signal })) warn(making, warning)
    const wrapper = await wrapperOf(partial, order)
    if (wrapper !== undefined) warn(making, wrapperWarning(wrapper, order.app.name))
    return {}
  }
  log.line(`Fetching ${source.ref ?? 'the repository'} from ${source.url}.`)
  const found = await fetchRepository({
    source,
    cwd: partial.place(dot).toString(),
    separate: making.separate,
    mark: appMark(host.root, account.id, order.app.id),
    timeoutMs: left,
    signal,
    log,
    run: runProgram,
  })
  log.line(`Fetched commit ${found.commit}.`)
  for (const warning of await leftOut(partial)) warn(making, warning)
  await removeAll(partial, Buffer.from('.git'))
  await validateTree(partial, signal)
  return found
}

const wrapperWarning = (folder: string, app: string): string =>
  `Everything in the archive is in one directory, ${folder}. If that is the app, make it its root: panel apps update ${app} --root ${folder}`

function warn({ log, warnings }: Making, warning: string): void {
  log.line(`warning: ${warning}`)
  warnings.push(warning)
}

const dot = Buffer.from('.')
/** The parts of a repository that are not fetched. */
async function leftOut(partial: Directory): Promise<string[]> {
  const warnings: string[] = []
  if (await partial.find(Buffer.from('.gitmodules'))) warnings.push('Submodules are not fetched.')
  if (/filter=lfs/.test(await textIn(partial, '.gitattributes')))
    warnings.push('Files in Git LFS are not fetched: what is there names them.')
  return warnings
}

/** Programs are looked up in the release, or in its root for one that runs. */
async function build(making: Making, partial: Directory, left: TimeLeft): Promise<void> {
  const { order } = making
  const place = runsProcess(order.app) ? await downTo(partial, order.root ?? '.') : await partial.again()
  if (!place) throw new HostError('stage', `The directory ${order.root} is missing in the source.`)
  await holding(Promise.resolve(place), (directory) => buildIn({ ...making, directory, left }))
}

/** Making in the directory where its commands run. */
export interface Building extends Making {
  readonly directory: Directory
  readonly left: TimeLeft
}

async function buildIn(making: Building): Promise<void> {
  const { order, log } = making
  const tools = toolsOf(making)
  const toolchain = tools ? await toolchainOf(tools) : {}
  if (toolchain.warning !== undefined) warn(making, toolchain.warning)
  const env = await withToolchain(making, toolchain)
  const plan = order.install === undefined ? await planOf(making, toolchain, env) : { command: order.install }
  for (const note of plan.notes ?? []) log.line(note)
  for (const warning of plan.warnings ?? []) warn(making, warning)
  const all = { ...installEnv(env), ...plan.env }
  if (plan.command !== undefined) await runStep(making, 'install', plan.command, all)
  if (order.build !== undefined) await runStep(making, 'build', order.build, env)
  if (plan.prune !== undefined && isProduction(order.app.env)) await prune(making, plan.prune, { ...env, ...plan.env })
}

/** What only the build needed may stay where it cannot be removed. */
async function prune(making: Building, command: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { exitCode, signal } = await run(making, command, env)
  if (exitCode !== 0 || signal) warn(making, `The dependencies of the build alone were not removed: ${command} failed.`)
}

/** Programs of a kind that has a toolchain, where they may run. */
function toolsOf({ order, directory, host, log, signal, ...making }: Building): Tools | undefined {
  const { kind } = order.app
  if (!host.trusted || (kind !== 'node' && kind !== 'python')) return undefined
  const home = join(host.root, homeOf(order.account.username))
  const env = tenantEnvironment({ order, directory, host, log, signal, ...making })
  return { kind, directory, cwd: directory.place(dot).toString(), home, env, signal, line: log.line }
}

function tenantEnvironment({ order, host, path }: Building): NodeJS.ProcessEnv {
  const { account, app } = order
  const mark = appMark(host.root, account.id, app.id)
  const home = join(host.root, homeOf(account.username))
  return { ...environmentOf({ username: account.username, home, mark }), ...(path !== undefined && { PATH: path }) }
}

/** The environment of its commands. Its programs come first, then those of the version that it asks for. */
async function withToolchain(making: Building, { folder }: Toolchain): Promise<NodeJS.ProcessEnv> {
  const { order, directory } = making
  const tenant = tenantEnvironment(making)
  await removeAll(directory, Buffer.from(toolchainFile))
  if (folder !== undefined && order.app.kind === 'node') await noteFolder(directory, folder)
  const path = { ...tenant, ...(folder !== undefined && { PATH: `${folder}:${tenant['PATH']}` }) }
  return { ...path, ...programsOf(order.app.kind, '.', path), ...order.app.env }
}

/** Read by the shell that starts the release. */
async function noteFolder(directory: Directory, folder: string): Promise<void> {
  const file = await directory.create(Buffer.from(toolchainFile), 0o644)
  await file.writeFile(folder).finally(() => file.close())
}

async function planOf(making: Building, { program }: Toolchain, env: NodeJS.ProcessEnv): Promise<InstallPlan> {
  const tools = toolsOf(making)
  if (!tools) return {}
  return installPlan(tools.kind, tools.directory, { callable: callableIn({ ...tools, env }), python: program })
}

/** Records a virtual environment's path, so that it can be moved. */
const noted = 'if [ -d .venv/bin ] && [ ! -f .venv/.panel-path ]; then printf %s "$PWD" > .venv/.panel-path; fi'

async function runStep(
  making: Building,
  step: 'install' | 'build',
  command: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { order, host, log } = making
  log.share = deployShares[step]
  if (!host.trusted) throw new HostError('stage', notTrusted)
  const end = await run(making, command, env)
  if (end.timedOut) throw new HostError('stage', `The build took longer than ${order.buildTimeoutS} s and was killed.`)
  const failed = end.signal ? `was killed by ${end.signal}` : `exited with code ${end.exitCode}`
  if (end.signal || end.exitCode !== 0)
    throw new HostError('stage', `The command ${failed}: ${log.masked(command)}.${hintIn(log.last, order.app)}`)
}

/** Runs a command in the source. */
export function run(making: Building, command: string, env: NodeJS.ProcessEnv): Promise<ProgramEnd> {
  const { order, host, log, signal, directory, left } = making
  log.line(`$ ${command}`)
  return runProgram({
    words: ['/bin/sh', '-c', `/bin/sh -c "$1"; code=$?; ${noted}; exit $code`, 'sh', command],
    cwd: directory.place(dot).toString(),
    env,
    mark: env[markName] ?? appMark(host.root, order.account.id, order.app.id),
    timeoutMs: left(),
    signal,
    line: log.line,
  })
}

async function rootOf({ order }: Making, release: Directory): Promise<string> {
  const root = order.root ?? (await defaultRoot(order.app.kind, release))
  if (!(await hasRoot(release, root))) throw new HostError('stage', `The directory ${root} is missing in the release.`)
  return root
}
