import { existsSync, readFileSync } from 'node:fs'
import { Coalesced } from '../../../shared/async/coalesce.ts'
import type { PortOwner } from '../../apps/app-runner.ts'
import type { AccountState, Difference } from '../../contract/driver.ts'
import { HostError } from '../../contract/error.ts'
import type { Run } from '../commands.ts'
import { groupId } from '../names.ts'
import { writeFile } from '../write-file.ts'

const nft = '/usr/sbin/nft'
export const portsTable = 'panel_apps'
export const portsFile = '/etc/panel/apps-ports.nft'

/** nft refuses an empty element list. */
const setOf = (name: string, type: string, elements: readonly string[]): string => {
  const all = elements.length === 0 ? '' : ` elements = { ${elements.join(', ')} };`
  return `  set ${name} { type ${type};${all} }`
}

/**
 * The panel's own table, independent of any firewall: app ports are unreachable from outside, and on this machine only
 * nginx and the app's own user can connect. Another user listening on the port gets no connections.
 */
export function portsText(ports: readonly PortOwner[], nginx: number): string {
  const sorted = ports.toSorted((one, other) => one.port - other.port || one.uid - other.uid)
  const numbers = [...new Set(sorted.map(({ port }) => String(port)))]
  const owners = sorted.flatMap(({ port, uid }) => [`${port} . ${uid}`, `${port} . ${nginx}`])
  return [
    '# Written by panel: the ports of apps.',
    `table inet ${portsTable}`,
    `delete table inet ${portsTable}`,
    `table inet ${portsTable} {`,
    setOf('ports', 'inet_service', numbers),
    setOf('users', 'inet_service . uid', [...new Set(owners)]),
    '  chain from_outside {',
    '    type filter hook input priority -10; policy accept;',
    '    iif != "lo" tcp dport @ports drop',
    '  }',
    '  chain from_here {',
    '    type filter hook output priority -10; policy accept;',
    '    oif "lo" tcp dport @ports tcp dport . meta skuid != @users reject with tcp reset',
    // While the app is down, another account could listen there and receive its visitors.
    '    tcp sport @ports tcp flags & (syn | ack) == syn | ack tcp sport . meta skuid != @users drop',
    '  }',
    '}',
    '',
  ].join('\n')
}

/** The ports of apps: loaded before an app starts on one, and at boot. */
export class Ports {
  readonly #run: Run
  readonly #path: string
  #desired: readonly PortOwner[] = []
  readonly #loading = new Coalesced(() => this.#load())

  constructor(run: Run, path = portsFile) {
    this.#run = run
    this.#path = path
  }

  guard(ports: readonly PortOwner[]): Promise<void> {
    this.#desired = ports
    return this.#loading.run()
  }

  async #load(): Promise<void> {
    const text = portsText(this.#desired, groupId('www-data') ?? 0)
    const isSame = existsSync(this.#path) && readFileSync(this.#path, 'utf8') === text
    if (this.#desired.length === 0 && (isSame || !existsSync(nft))) return
    if (!existsSync(nft))
      throw new HostError('stage', 'The ports of apps cannot be guarded: nftables is missing. Run panel host setup.')
    if (!isSame) writeFile(this.#path, text, 0o600)
    if (!isSame || !(await this.isLoaded())) await this.#run(nft, ['-f', this.#path], { stage: 'stage' })
  }

  async isLoaded(): Promise<boolean> {
    const output = await this.#run(nft, ['list', 'tables', 'inet'], { fine: [1] })
    return output.split('\n').includes(`table inet ${portsTable}`)
  }

  /** Reloads the table if somebody removed it. */
  async repair(account: AccountState): Promise<void> {
    if (await this.#isMissing(account)) await this.#run(nft, ['-f', this.#path])
  }

  async #isMissing({ parts, suspended }: AccountState): Promise<boolean> {
    const isConcerned = !suspended && parts.apps.apps.some(({ port }) => port !== undefined)
    return isConcerned && existsSync(this.#path) && existsSync(nft) && !(await this.isLoaded())
  }

  async differences(account: AccountState): Promise<Difference[]> {
    if (!(await this.#isMissing(account))) return []
    return [{ path: `nftables:${portsTable}`, change: 'missing', note: 'the ports of apps are open to everybody' }]
  }
}
