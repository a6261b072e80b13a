import { join } from 'node:path'
import { type Deployed, type DeployRequest, deployShares } from '../contract/apps.ts'
import { HostError } from '../contract/error.ts'
import { type Directory, holding } from '../homes/home/directory.ts'
import { removeAll } from '../homes/home/remove.ts'
import { homeOf } from '../homes/home-paths.ts'
import { measure } from '../measure/walk.ts'
import { environmentOf } from '../tenant/environment.ts'
import { runProgram } from '../tenant/program.ts'
import { runsProcess } from './app.ts'
import type { BuildLog } from './build-log.ts'
import { type AppHost, notTrusted } from './config.ts'
import { defaultInstall, defaultRoot, downTo, hasRoot } from './defaults.ts'
import { fetchRepository } from './git/fetch.ts'
import { within } from './quota.ts'
import { nameOf, partialOf, Releases } from './releases.ts'
import { appMark, programsOf } from './runnable.ts'
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
}

type Source = Pick<Deployed, 'commit' | 'hostKey' | 'warnings'>

/** Builds a release from scratch: an incomplete one has another name, and a failed one leaves nothing. */
export async function makeRelease(making: MakingOf): Promise<Omit<Deployed, 'port'>> {
  const { host, order } = making
  const releases = await Releases.open(join(host.root, homeOf(order.account.username)), order.app.name)
  return makeIn({ ...making, releases }).finally(() => releases.close())
}

async function makeIn(making: Making): Promise<Omit<Deployed, 'port'>> {
  const { host, order, releases } = making
  if (order.source.kind === 'retained') return retainedRelease(making)
  const partial = await releases.begin(order.release)
  try {
    await host.onFailPoint('release-begun')
    const deadline = performance.now() + order.buildTimeoutS * 1000
    const { root, ...source } = await within(pathOf(making), order.room, making.signal, (signal) =>
      fill({ ...making, signal }, partial, () => Math.max(1, deadline - performance.now())),
    )
    await host.onFailPoint('release-built')
    await releases.finish(order.release)
    await host.onFailPoint('release-named')
    return { ...source, root, sizeBytes: await sizeOf(making) }
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

async function fill(making: Making, partial: Directory, left: TimeLeft): Promise<Source & { readonly root: string }> {
  const { host } = making
  const source = await fetched(making, partial, left)
  await host.onFailPoint('release-fetched')
  await build(making, partial, left)
  return { ...source, root: await rootOf(making, partial) }
}

async function fetched(making: Making, partial: Directory, left: TimeLeft): Promise<Source> {
  const { order, signal, log, host } = making
  const { source, account } = order
  if (source.kind === 'retained') return { warnings: [] }
  if (source.kind === 'upload') {
    const home = join(host.root, homeOf(account.username))
    log.line('Unpacking the archive.')
    const warnings = await unpackUpload(home, source, partial, { signal, room: order.room })
    for (const warning of warnings) log.line(`warning: ${warning}`)
    return { warnings }
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
  const warnings = await leftOut(partial)
  for (const warning of warnings) log.line(`warning: ${warning}`)
  await removeAll(partial, Buffer.from('.git'))
  await validateTree(partial, signal)
  return { ...found, warnings }
}

const dot = Buffer.from('.')
const MAX_ATTRIBUTES_BYTES = 65_536

/** The parts of a repository that are not fetched. */
async function leftOut(partial: Directory): Promise<string[]> {
  const warnings: string[] = []
  if (await partial.find(Buffer.from('.gitmodules'))) warnings.push('Submodules are not fetched.')
  if (/filter=lfs/.test(await smallText(partial, Buffer.from('.gitattributes'))))
    warnings.push('Files in Git LFS are not fetched: what is there names them.')
  return warnings
}

async function smallText(directory: Directory, name: Buffer): Promise<string> {
  if (!(await directory.find(name))?.isFile()) return ''
  const file = await directory.openToRead(name)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_ATTRIBUTES_BYTES), 0, MAX_ATTRIBUTES_BYTES, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Programs are looked up in the release, or in its root for one that runs. */
async function build(making: Making, partial: Directory, left: TimeLeft): Promise<void> {
  const { order, host } = making
  const place = runsProcess(order.app) ? await downTo(partial, order.root ?? '.') : await partial.again()
  if (!place) throw new HostError('stage', `The directory ${order.root} is missing in the source.`)
  await holding(Promise.resolve(place), async (directory) => {
    const install = order.install ?? (await defaultInstall(order.app.kind, directory))
    for (const [step, command] of [['install', install] as const, ['build', order.build] as const]) {
      if (command === undefined) continue
      making.log.share = deployShares[step]
      if (!host.trusted) throw new HostError('stage', notTrusted)
      await runStep(making, directory, command, left())
    }
  })
}

/** Records a virtual environment's path, so that it can be moved. */
const noted = 'if [ -d .venv/bin ] && [ ! -f .venv/.panel-path ]; then printf %s "$PWD" > .venv/.panel-path; fi'

async function runStep(making: Making, directory: Directory, command: string, timeoutMs: number): Promise<void> {
  const { order, host, log, signal } = making
  const mark = appMark(host.root, order.account.id, order.app.id)
  const home = join(host.root, homeOf(order.account.username))
  const defaults = environmentOf({ username: order.account.username, home, mark })
  const tenant = { ...defaults, ...(making.path !== undefined && { PATH: making.path }) }
  log.line(`$ ${command}`)
  const end = await runProgram({
    words: ['/bin/sh', '-c', `/bin/sh -c "$1"; code=$?; ${noted}; exit $code`, 'sh', command],
    cwd: directory.place(dot).toString(),
    env: { ...tenant, ...programsOf(order.app.kind, '.', tenant), ...order.app.env },
    mark,
    timeoutMs,
    signal,
    line: log.line,
  })
  if (end.timedOut) throw new HostError('stage', `The build took longer than ${order.buildTimeoutS} s and was killed.`)
  if (end.signal) throw new HostError('stage', `The command was killed by ${end.signal}: ${log.masked(command)}`)
  if (end.exitCode !== 0)
    throw new HostError('stage', `The command exited with code ${end.exitCode}: ${log.masked(command)}`)
}

async function rootOf({ order }: Making, release: Directory): Promise<string> {
  const root = order.root ?? (await defaultRoot(order.app.kind, release))
  if (!(await hasRoot(release, root))) throw new HostError('stage', `The directory ${root} is missing in the release.`)
  return root
}
