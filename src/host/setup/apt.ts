import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import type { SetupContext } from './context.ts'
import { SetupError } from './error.ts'

const aptGet = '/usr/bin/apt-get'
const aptCache = '/usr/bin/apt-cache'
const slack = 300 * 1024 * 1024

/** What an installation would do. */
export interface Purchase {
  /** With all dependencies. */
  readonly packages: readonly string[]
  readonly downloadBytes: number
  readonly installedBytes: number
}

/** The packages that are not fully installed. */
export async function missingPackages({ run }: SetupContext, request: readonly string[]): Promise<string[]> {
  const states = await statesOf(run)
  return [...new Set(request)].filter((name) => states.get(name) !== 'installed')
}

async function statesOf(run: SetupContext['run']): Promise<Map<string, string>> {
  const listed = await run('/usr/bin/dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\\n'])
  return new Map(listed.split('\n').map((line) => line.split(' ') as [string, string]))
}

/** Completes what a killed run left unfinished. */
export async function repairPackages(context: SetupContext): Promise<void> {
  const { run } = context
  if (!areServicesMasked(context) && (await areAllConfigured(run))) return
  await withoutServices(context, async () => {
    // A package manager of a killed run may still be at work: this waits for its lock.
    await run(aptGet, [...quietly, 'check']).catch(() => {})
    await run('/usr/bin/dpkg', ['--configure', '-a', '--force-confold'])
    await run(aptGet, [...quietly, 'install', '--fix-broken'])
  })
}

async function areAllConfigured(run: SetupContext['run']): Promise<boolean> {
  const configured = ['installed', 'config-files', 'not-installed', undefined]
  return [...(await statesOf(run)).values()].every((state) => configured.includes(state))
}

const quietly = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Options::=--force-confold']

/** Plans an installation; throws if a package is unavailable, another would be removed, or the disk is too small. */
export async function planInstall(context: SetupContext, missing: readonly string[]): Promise<Purchase> {
  const output = await context.run(aptGet, ['update', '-q']).then(() => '', reasonOf)
  await refuseUnavailable(context, missing, output)
  const simulated = await context.run(aptGet, ['-s', '-q', '--no-install-recommends', 'install', ...missing])
  refuseRemovals(simulated)
  const packages = [...simulated.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!)
  const uris = await context.run(aptGet, ['-q', '--print-uris', '-y', '--no-install-recommends', 'install', ...missing])
  const downloadBytes = sum([...uris.matchAll(/^'\S+' \S+ (\d+) /gm)].map(([, size]) => Number(size)))
  const listed = await context.run(aptCache, ['show', '--no-all-versions', ...packages])
  const installedBytes = sum([...listed.matchAll(/^Installed-Size: (\d+)/gm)].map(([, size]) => Number(size) * 1024))
  refuseSmallDisk(context.root, downloadBytes + installedBytes)
  return { packages, downloadBytes, installedBytes }
}

const sum = (sizes: readonly number[]): number => sizes.reduce((all, one) => all + one, 0)
const reasonOf = (error: unknown): string => (error as Error).message

async function refuseUnavailable({ run }: SetupContext, missing: readonly string[], output: string): Promise<void> {
  const policy = await run(aptCache, ['policy', ...missing])
  const known = new Set(
    [...policy.matchAll(/^(\S+):\n {2}Installed: .*\n {2}Candidate: (?!\(none\))/gm)].map(([, name]) => name),
  )
  const absent = missing.filter((name) => !known.has(name))
  if (absent.length === 0) return
  const which = absent.length === 1 ? `The package ${absent[0]} is` : `The packages ${absent.join(', ')} are`
  throw new SetupError(
    `${which} not available from this machine's package sources${output ? ` (${output})` : ''}.`,
    "the component main of Debian's archive, in /etc/apt/sources.list or /etc/apt/sources.list.d",
  )
}

function refuseRemovals(simulated: string): void {
  const removed = [...simulated.matchAll(/^Remv (\S+)/gm)].map(([, name]) => name)
  if (removed.length === 0) return
  throw new SetupError(
    `Installing the packages would remove ${removed.join(', ')}, which this machine already has.`,
    `if you do not need ${removed.length === 1 ? 'it' : 'them'}: apt-get remove ${removed.join(' ')}`,
  )
}

function refuseSmallDisk(root: string, needed: number): void {
  for (const place of ['/usr', '/var']) {
    const { bavail, bsize } = statfsSync(`${root}${place}`)
    if (bavail * bsize >= needed + slack) continue
    throw new SetupError(
      `The packages need ${megabytes(needed + slack)} MB below ${place}, where ${megabytes(bavail * bsize)} MB are free.`,
    )
  }
}

export const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)

const policyFile = '/usr/sbin/policy-rc.d'
const policy =
  '#!/bin/sh\n# Written by `panel host setup`, until it has configured the services that it installs.\nexit 101\n'

/** Installs packages; no service starts with its package's default configuration. */
export async function install(
  context: SetupContext,
  missing: readonly string[],
  answers: readonly string[],
): Promise<void> {
  await withoutServices(context, async () => {
    if (answers.length > 0) await context.run('/usr/bin/debconf-set-selections', [], answers.join('\n'))
    await context.run(aptGet, [...quietly, '--no-install-recommends', 'install', ...missing])
  })
}

async function withoutServices(context: SetupContext, act: () => Promise<void>): Promise<void> {
  holdServices(context)
  try {
    await act()
  } finally {
    letServicesGo(context)
  }
}

/** An existing one of the machine's own stays. */
function holdServices({ root }: SetupContext): void {
  if (!existsSync(root + policyFile)) writeFileSync(root + policyFile, policy, { mode: 0o755 })
}

const areServicesMasked = ({ root }: SetupContext): boolean =>
  existsSync(root + policyFile) && readFileSync(root + policyFile, 'utf8') === policy

function letServicesGo(context: SetupContext): void {
  if (areServicesMasked(context)) rmSync(context.root + policyFile)
}
