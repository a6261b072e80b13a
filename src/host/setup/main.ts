import { lchownSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { groupId } from '../debian/names.ts'
import { suiteOf } from '../debian/suite.ts'
import { someoneListens } from '../driver/listening.ts'
import { applyStep } from './apply-step.ts'
import { install, megabytes, missingPackages, planInstall, repairPackages } from './apt.ts'
import type { SetupContext } from './context.ts'
import { dryRun } from './dry-run.ts'
import { SetupError } from './error.ts'
import { factsOf, has } from './facts.ts'
import { refuseOtherFirewalls, removeFirewall } from './firewalls.ts'
import { phpPackages } from './php/packages.ts'
import { addPhpSource, type PhpSource } from './php/source.ts'
import { foreignPort } from './ports.ts'
import { SetupRecord } from './record.ts'
import { refuseOtherPanels, refuseOwnResolver, refuseWithoutPackage, refuseWithoutSystemd } from './refusals.ts'
import { runForSetup } from './run.ts'
import { refuseSkipping } from './skipped-services.ts'
import type { Choice, Facts, SetupStep } from './step.ts'
import { allSteps } from './steps/all.ts'
import { steps } from './steps/index.ts'
import { removeWaf } from './steps/waf.ts'
import { undoSetup } from './undo.ts'
import { systemctl } from './units.ts'
import { wrapped } from './wrapped.ts'

/** Locks the machine for one setup; the kernel releases the lock with the process. */
async function acquireLock(root: string): Promise<() => void> {
  const path = `${root}/run/panel-setup.sock`
  if (await someoneListens(path)) throw new SetupError('Another `panel host setup` is running.')
  rmSync(path, { force: true })
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  return () => void server.close()
}

export { repairedBySetup } from './drift.ts'
export { SetupError } from './error.ts'
export { type PhpSource, phpSources } from './php/source.ts'
export { backupsFolder, purgeBackups } from './purge.ts'
export { type Choice, choices } from './step.ts'

export interface SetupOptions {
  readonly yes: boolean
  readonly dryRun: boolean
  /** By default as in the last run. */
  readonly without?: readonly Choice[] | undefined
  readonly hostname?: string | undefined
  /** Further versions of PHP, besides those of earlier runs. */
  readonly php?: readonly string[] | undefined
  readonly phpSource?: PhpSource | undefined
  /** Whether to close ports that no service needs; by default as in the last run. */
  readonly firewall?: boolean | undefined
  /** Whether to check requests to sites; by default as in the last run. */
  readonly waf?: boolean | undefined
}

/** Undoes `setUp` on this machine; returns whether there was anything to undo. */
export async function takeSetupBack(say: Talk['say'], agree: (files: readonly string[]) => Promise<boolean>) {
  const free = await acquireLock('')
  try {
    return await undoSetup(contextOf(say), agree)
  } finally {
    free()
  }
}

/** The user running the setup. */
export interface Talk {
  readonly say: (line: string) => void
  readonly ask: (question: string) => Promise<boolean>
  /** Applies every account from the store; returns whether any of them differed. */
  readonly apply: () => Promise<boolean>
}

export interface Done {
  /** Whether anything had to be changed. */
  readonly changed: boolean
  /** Whether this machine is a node, and so has no server to ask. */
  readonly isNode: boolean
}

/** Makes this machine a host; throws a `SetupError` if it cannot. */
export async function setUp(options: SetupOptions, talk: Talk): Promise<Done> {
  if (process.getuid?.() !== 0) throw new SetupError('Only root can set this machine up.', 'sudo panel host setup')
  return new Setup(contextOf(talk.say), options, talk).run()
}

const contextOf = (say: SetupContext['say']): SetupContext => ({
  root: '',
  run: runForSetup,
  record: new SetupRecord(''),
  own: (path, group) => lchownSync(path, 0, group === 'root' ? 0 : (groupId(group) ?? 0)),
  say,
})

class Setup {
  readonly #context: SetupContext
  readonly #options: SetupOptions
  readonly #talk: Talk
  #changed = false

  constructor(context: SetupContext, options: SetupOptions, talk: Talk) {
    this.#context = context
    this.#options = options
    this.#talk = talk
  }

  async run(): Promise<Done> {
    const facts = await this.#examine()
    const chosen = allSteps.filter((step) => has(step, facts))
    await refuseSkipping(this.#context, steps, facts)
    this.#refusePorts(chosen, facts)
    const { isNode } = facts
    if (this.#options.dryRun) return { changed: await this.#preview(chosen, facts), isNode }
    const free = await acquireLock(this.#context.root)
    try {
      await this.#execute(chosen, facts)
    } finally {
      free()
    }
    return { changed: this.#changed, isNode }
  }

  async #examine(): Promise<Facts> {
    const { root } = this.#context
    supportedSuite()
    refuseWithoutSystemd(root)
    refuseOtherPanels(root)
    refuseWithoutPackage(root)
    const facts = await factsOf(this.#context, this.#options)
    if (facts.firewall) await refuseOtherFirewalls(this.#context)
    if (!facts.without.has('dns')) refuseOwnResolver(root)
    if (!facts.spam && !facts.without.has('mail') && !facts.without.has('spam'))
      this.#say('this machine has less than 2 GB of memory: mail is not judged, and the spam settings change nothing')
    return facts
  }

  #refusePorts(chosen: readonly SetupStep[], facts: Facts): void {
    const reason = foreignPort(chosen.flatMap(({ ports = [] }) => (typeof ports === 'function' ? ports(facts) : ports)))
    if (reason) throw new SetupError(reason)
  }

  async #preview(chosen: readonly SetupStep[], facts: Facts): Promise<boolean> {
    const missing = await missingPackages(this.#context, packagesOf(chosen, facts))
    this.#say(missing.length > 0 ? 'packages, besides what they need:' : 'packages: all are installed')
    for (const line of wrapped(missing)) this.#say(`  ${line}`)
    const lines: string[] = []
    for (const step of chosen) lines.push(...(await dryRun(this.#context, step, facts)))
    for (const line of lines) this.#say(line)
    const would = missing.length + lines.length > 0
    if (!would) this.#say('nothing would be changed; what accounts lack: panel host diff')
    return would
  }

  async #execute(chosen: readonly SetupStep[], facts: Facts): Promise<void> {
    await repairPackages(this.#context)
    const { phpSource } = this.#options
    if (phpSource) await this.#timed('php-source', () => addPhpSource(this.#context, facts.suite))
    await this.#installPackages(chosen, facts)
    const without = [...facts.without]
    if (without.join() !== this.#context.record.without.join()) this.#context.record.note({ without })
    if (facts.php.length > this.#context.record.php.length) this.#context.record.note({ php: facts.php })
    const firewall = facts.firewall !== undefined
    if (!firewall && this.#context.record.firewall) await this.#timed('firewall', () => removeFirewall(this.#context))
    if (firewall !== this.#context.record.firewall) this.#context.record.note({ firewall })
    const waf = facts.waf === true
    const isNew = waf !== this.#context.record.waf
    if (isNew && !waf) await this.#timed('waf', async () => removeWaf(this.#context))
    for (const step of chosen) await this.#timed(step.name, () => applyStep(this.#context, step, facts))
    if (isNew) await this.#reportWaf(waf)
    if (!facts.isNode) await this.#timed('accounts', this.#talk.apply)
  }

  /** An agent says what its machine offers when it connects. */
  async #reportWaf(waf: boolean): Promise<void> {
    await this.#context.run(systemctl, ['try-restart', 'panel-host.service', 'panel-node.service'])
    this.#context.record.note({ waf })
  }

  async #installPackages(chosen: readonly SetupStep[], facts: Facts): Promise<void> {
    const requested = [...packagesOf(chosen, facts), ...(await phpPackages(this.#context, facts))]
    const missing = await missingPackages(this.#context, requested)
    if (missing.length === 0) return
    const { packages, downloadBytes, installedBytes } = await planInstall(this.#context, missing)
    this.#say(`${packages.length} packages will be installed:`)
    for (const line of wrapped(packages)) this.#say(`  ${line}`)
    this.#say(`${megabytes(downloadBytes)} MB to download, ${megabytes(installedBytes)} MB on the disk`)
    if (!this.#options.yes && !(await this.#talk.ask('Install them, and configure the services?')))
      throw new SetupError('Nothing was changed.')
    const answers = chosen.flatMap((step) => step.answers ?? [])
    await this.#timed('packages', async () => {
      this.#context.record.note({ installed: missing })
      await install(this.#context, missing, answers)
      return true
    })
  }

  async #timed(name: string, work: () => Promise<boolean>): Promise<void> {
    const begun = performance.now()
    const changed = await work().catch((error: Error) => {
      throw new SetupError(`${name}: ${error.message}`, 'fix that, and run this again: it continues from here')
    })
    this.#changed ||= changed
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    this.#say(`${name}: ${changed ? 'done' : 'nothing to do'}, ${seconds} s`)
  }

  #say(line: string): void {
    this.#talk.say(line)
  }
}

const packagesOf = (chosen: readonly SetupStep[], { suite }: Facts): string[] =>
  chosen.flatMap(({ packages }) => packages(suite))

function supportedSuite(): void {
  try {
    suiteOf()
  } catch (error) {
    throw new SetupError((error as Error).message)
  }
}
