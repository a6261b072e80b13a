import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AccountName, AccountState, Difference } from '../../contract/driver.ts'
import { HostError } from '../../contract/error.ts'
import type { MachineFacts } from '../../contract/facts.ts'
import { configOf } from '../../parts/apache/config.ts'
import { apacheProxyUnits, apacheService, apacheSocketUnits } from '../../parts/apache/units.ts'
import { php } from '../../parts/php/index.ts'
import { type PoolSet, setAt, setName, socketFolder } from '../../parts/php/sets.ts'
import { unitFolder, unitOfSet } from '../../parts/php/units.ts'
import type { FileSpec } from '../../parts/spec.ts'
import { web } from '../../parts/web/index.ts'
import type { Run } from '../commands.ts'
import { removeSockets, socketTemplate, unitsOfSocket } from '../db/sockets.ts'
import { terminalsUnit } from '../terminals.ts'
import { writeFile } from '../write-file.ts'

const systemctl = '/usr/bin/systemctl'
/** Written by `panel host setup`. */
export const sandboxFile = '/etc/systemd/system/panel-php-.service.d/panel.conf'
/** systemctl's exit codes for an unknown unit. */
const fine = [1, 5]

export const confFolder = 'etc/panel/php'
const units = `/${unitFolder}`
/** What the machine starts before any service. */
const wants = `${units}/sockets.target.wants`

/** From before masters were started by requests: it runs until nginx uses the new sockets and its requests are done. */
export const formerUnit = (username: string): string => `panel-php@${username}.service`
const formerLink = (username: string): string => `${units}/multi-user.target.wants/${formerUnit(username)}`

/** All that PHP of an account runs as; usernames have no hyphen. */
const unitsOf = (username: string, kind: 'socket' | 'service'): string => `panel-php-*-${username}.${kind}`
const cgiSocketUnit = (username: string): string => `panel-cgi@${username}.socket`

/** The sets of pools that have a configuration. */
export const configuredSets = (username?: string, root = '/'): PoolSet[] =>
  namesIn(`${root}${confFolder}`)
    .flatMap((name) => setAt(`${confFolder}/${name}`) ?? [])
    .filter((set) => username === undefined || set.username === username)

export const confOf = (set: PoolSet): string => `${confFolder}/${setName(set)}.conf`
export const socketUnit = (set: PoolSet): string => `${unitOfSet(set)}.socket`
export const serviceUnit = (set: PoolSet): string => `${unitOfSet(set)}.service`

/** The set that a unit runs. */
export function setOfUnit(unit: string): PoolSet | undefined {
  const name = /^panel-php-(.+)\.(?:service|socket)$/.exec(unit)?.[1]
  return name === undefined ? undefined : setAt(`${confFolder}/${name}.conf`)
}

/** The sockets and masters of accounts' PHP. A master is started by the first request. */
export class PhpMasters {
  readonly #run: Run
  readonly #root: string

  constructor(run: Run, root = '') {
    this.#run = run
    this.#root = root
  }

  /** Opens new sockets before nginx can learn of them: it reads its files at any time, for other accounts too. */
  async listen({ parts, ...core }: AccountState, facts: MachineFacts | undefined): Promise<void> {
    if (core.suspended) return
    this.#refuseWithoutSandbox()
    const none = { hostname: '', nameservers: [] }
    const { files: ofPhp } = php.render(core, parts.php, none, facts ?? {})
    const { files: ofSites } = web.render(core, parts.web, none, facts ?? {})
    const files = [...ofPhp, ...ofSites].filter(({ path }) => path.startsWith(unitFolder))
    const pending = files.filter(({ path }) => !isListening(path, files))
    if (pending.length === 0) return
    const changed = pending.filter((file) => replace(file))
    if (changed.length > 0) await this.#run(systemctl, ['daemon-reload'])
    await this.#start(pending.map(({ path }) => path).filter((path) => path.endsWith('.socket')))
  }

  /** Without the file that all masters share, they would run without their sandbox: after an upgrade, until setup. */
  #refuseWithoutSandbox(): void {
    if (existsSync(`${this.#root}${sandboxFile}`)) return
    throw new HostError('stage', 'This host was set up by an earlier version of panel: run panel host setup.')
  }

  /** A socket cannot start while its master runs without it. */
  async #start(paths: readonly string[]): Promise<void> {
    const sockets = paths.map((path) => path.slice(unitFolder.length + 1))
    const start = () => this.#run(systemctl, ['start', ...sockets])
    await start().catch(async () => {
      await this.#run(systemctl, ['stop', ...sockets.map((one) => one.replace(/socket$/, 'service'))], { fine })
      await this.#run(systemctl, ['reset-failed', ...sockets], { fine })
      await start()
    })
  }

  /** After the account's files were placed, before nginx reads them. */
  async settle({ username }: AccountName, changed: readonly string[]): Promise<void> {
    const sets = configuredSets(username)
    const replaced = changed.filter((path) => path.startsWith(`${unitFolder}/panel-`))
    if (replaced.length > 0) await this.#run(systemctl, ['daemon-reload'])
    const sockets = [...sets.map(socketUnit), ...accountSocketUnits(username)]
    this.#enable(username, sockets)
    if (sockets.length > 0) await this.#start(sockets.map((unit) => `${unitFolder}/${unit}`))
    const renewed = [
      ...sets.filter((set) => changed.includes(confOf(set))).map(serviceUnit),
      ...(changed.includes(configOf(username)) && hasApache(username) ? [apacheService(username)] : []),
    ]
    if (renewed.length > 0) await this.#run(systemctl, ['try-reload-or-restart', ...renewed])
  }

  /** Creates the same links as `systemctl enable`, without the time that takes. */
  #enable(username: string, sockets: readonly string[]): void {
    mkdirSync(wants, { recursive: true })
    for (const name of linksOf(username)) if (!sockets.includes(name)) rmSync(`${wants}/${name}`, { force: true })
    for (const name of sockets) {
      if (namesIn(wants).includes(name)) continue
      symlinkSync(`${units}/${name.replace(/@.*\./, '@.')}`, `${wants}/${name}`)
    }
    rmSync(formerLink(username), { force: true })
  }

  /** The account's sockets that should listen but do not; none listens while it is suspended. */
  async differences({ username, suspended }: AccountState): Promise<Difference[]> {
    if (suspended) return []
    const all = [...configuredSets(username).map(socketUnit), ...accountSocketUnits(username)]
    if (all.length === 0) return []
    const output = await this.#run(systemctl, ['show', '--property=ActiveState', '--value', ...all])
    const states = output.split('\n').filter((line) => line !== '')
    return all.flatMap((path, at) => {
      const state = states[at] ?? 'unknown'
      return state === 'active' ? [] : [{ path, change: 'missing', note: `is ${state}` } as const]
    })
  }

  /** The masters reopen their logs without interrupting requests. One that still starts would be ended by the signal. */
  async reopenLogs(): Promise<void> {
    const list = [
      'list-units',
      '--state=active',
      '--plain',
      '--no-legend',
      'panel-php-*.service',
      'panel-php@*.service',
    ]
    const units = (await this.#run(systemctl, list)).split('\n').flatMap((line) => line.split(' ')[0] || [])
    if (units.length > 0) await this.#run(systemctl, ['kill', '--signal=USR1', '--kill-whom=main', ...units], { fine })
  }

  /** Ends all at once, requests too. */
  async stop(username: string): Promise<void> {
    for (const name of linksOf(username)) rmSync(`${wants}/${name}`, { force: true })
    rmSync(formerLink(username), { force: true })
    const [sockets, services] = [unitsOf(username, 'socket'), unitsOf(username, 'service')]
    await this.#run(systemctl, ['stop', sockets, cgiSocketUnit(username), ...apacheSocketUnits(username)], { fine })
    // A request of an account that is suspended is not waited for.
    await this.#run(systemctl, ['kill', '--signal=TERM', '--kill-whom=main', services], { fine })
    const rest = [
      formerUnit(username),
      `panel-cgi@${username}.service`,
      ...unitsOfSocket(username),
      terminalsUnit(username),
      ...apacheProxyUnits(username),
      apacheService(username),
    ]
    await this.#run(systemctl, ['stop', services, ...rest], { fine })
    await this.#run(systemctl, ['reset-failed', sockets, services, `panel-*-${username}.*`], { fine })
    removeSockets(username)
    removeIfEmpty(`/${dirname(configOf(username))}`)
    rmSync(`${socketFolder}/${username}`, { recursive: true, force: true })
  }
}

/** Files in it are removed by those who wrote them. */
function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && namesIn(folder).length === 0) rmdirSync(folder)
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

const linksOf = (username: string): string[] =>
  namesIn(wants).filter(
    (name) => setOfUnit(name)?.username === username || accountSocketUnits(username, true).includes(name),
  )

/** Its other sockets, of services that are set up. */
const accountSocketUnits = (username: string, all = false): string[] => [
  ...(all || hasApache(username) ? apacheSocketUnits(username) : []),
  ...(all || existsSync(`${units}/panel-cgi@.socket`) ? [cgiSocketUnit(username)] : []),
  ...(all || existsSync(socketTemplate) ? unitsOfSocket(username).slice(0, 1) : []),
]

const hasApache = (username: string): boolean => existsSync(`${units}/${apacheService(username)}`)

/** Whether the sockets of a unit exist: of Apache those of its proxies. */
function isListening(path: string, files: readonly FileSpec[]): boolean {
  const own = files.filter((file) => file.path === path.replace(/service$/, 'socket'))
  const all = own.length > 0 ? own : files.filter((file) => file.path.startsWith(`${unitFolder}/panel-site-`))
  const listened = all.flatMap(({ content }) => [...content.matchAll(/^ListenStream=(.+)$/gm)])
  return listened.every(([, socket]) => existsSync(socket!))
}

/** Whether it replaced a file that systemd may have read. */
function replace({ path, content, mode }: FileSpec): boolean {
  const former = existsSync(`/${path}`) ? readFileSync(`/${path}`, 'utf8') : undefined
  if (former === content) return false
  writeFile(`/${path}`, content, mode)
  return former !== undefined
}
