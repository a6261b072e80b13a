import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type FirewallRule, inOrder, portsOf, type ServicePorts } from '../../shared/firewall.ts'
import type { FirewallChange, FirewallReport } from '../contract/commands/firewall.ts'
import { HostError } from '../contract/error.ts'

/** A host's firewall. */
export interface HostFirewall {
  report(): Promise<FirewallReport>
  change(change: FirewallChange): Promise<void>
  confirm(id: string): Promise<{ readonly confirmed: boolean }>
}

/** What the machine does for it. */
export interface FirewallMachine {
  readonly services: () => readonly ServicePorts[] | undefined
  readonly seen: () => Promise<Pick<FirewallReport, 'listening' | 'foreign'>>
  /** Loads the rules of a file. */
  readonly load: (rules: string) => Promise<void>
  /** Has the machine discard what waits and load the rules that stay, after some seconds. */
  readonly arm: (seconds: number) => Promise<void>
  readonly disarm: () => Promise<void>
}

interface FirewallOptions {
  /** The rules that stay. Those of a change that waits are beside it. */
  readonly path: string
  readonly machine: FirewallMachine
}

export const pendingOf = (path: string): string => `${path}.pending`

/**
 * Keeps rules in files. A rename of the file that waits makes a change stay; its removal undoes it: whichever comes
 * first wins.
 */
export class Firewall implements HostFirewall {
  readonly #path: string
  readonly #pending: string
  readonly #machine: FirewallMachine
  #turn: Promise<unknown> = Promise.resolve()

  constructor({ path, machine }: FirewallOptions) {
    this.#path = path
    this.#pending = pendingOf(path)
    this.#machine = machine
  }

  async report(): Promise<FirewallReport> {
    const services = this.#machine.services()
    return {
      ...{ isSetUp: services !== undefined, services: services ?? [] },
      ...{ confirmed: changeIn(this.#path), pending: changeIn(this.#pending) },
      ...(await this.#machine.seen()),
    }
  }

  change(change: FirewallChange): Promise<void> {
    return this.#inTurn(() => this.#change(change))
  }

  async #change({ id, rules, trialS }: FirewallChange): Promise<void> {
    const services = this.#machine.services()
    if (!services) throw new HostError('stage', 'The firewall is not set up on this host: panel host setup --firewall')
    const text = rulesText(id, rules, services)
    if (trialS === undefined) return this.#settle(text)
    // The same again, from an agent that was killed: its timer runs.
    if (changeIn(this.#pending) !== id) await this.#prepare(text, trialS)
    await this.#machine.load(this.#pending).catch(async (error: Error) => {
      rmSync(this.#pending, { force: true })
      await this.#machine.disarm().catch(() => {})
      throw error
    })
  }

  /** The timer first: whatever happens after it, the former rules come back. */
  async #prepare(text: string, seconds: number): Promise<void> {
    if (existsSync(this.#pending)) await this.#undo()
    await this.#machine.disarm()
    await this.#machine.arm(seconds)
    writeRules(this.#pending, text)
  }

  /** What its timer has not undone yet. */
  async #undo(): Promise<void> {
    rmSync(this.#pending, { force: true })
    if (existsSync(this.#path)) await this.#machine.load(this.#path)
  }

  /** A change that waits decides by itself. */
  async #settle(text: string): Promise<void> {
    if (existsSync(this.#pending)) return
    if (existsSync(this.#path) && sameRules(readFileSync(this.#path, 'utf8'), text)) return
    writeRules(this.#path, text)
    await this.#machine.load(this.#path)
  }

  confirm(id: string): Promise<{ readonly confirmed: boolean }> {
    return this.#inTurn(async () => {
      if (changeIn(this.#path) === id) return { confirmed: true }
      if (changeIn(this.#pending) !== id) return { confirmed: false }
      const confirmed = renamed(this.#pending, this.#path)
      if (confirmed) await this.#machine.disarm()
      return { confirmed }
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }
}

/** False if the timer has removed it. */
function renamed(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function writeRules(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
}

const firstLine = /^# Change ([0-9A-Z]{26})\n/

function changeIn(path: string): string | undefined {
  return existsSync(path) ? firstLine.exec(readFileSync(path, 'utf8'))?.[1] : undefined
}

const sameRules = (one: string, other: string): boolean => one.replace(firstLine, '') === other.replace(firstLine, '')

/** Rules as nft reads them within a chain; all of it is made here. */
export const rulesText = (id: string, rules: readonly FirewallRule[], services: readonly ServicePorts[]): string =>
  `# Change ${id}\n${inOrder(rules)
    .map((rule) => `${lineOf(rule, services)}\n`)
    .join('')}`

function lineOf(rule: FirewallRule, services: readonly ServicePorts[]): string {
  const { from, proto, action } = rule
  const family = from?.includes(':') ? 'ip6' : 'ip'
  const source = from === undefined ? '' : `${family} saddr ${from} `
  return `${source}${proto} dport ${portSet(portsOf(rule, services))} ${action === 'allow' ? 'accept' : 'drop'}`
}

export const portSet = (ports: readonly { readonly port: number; readonly last?: number | undefined }[]): string =>
  `{ ${ports.map(({ port, last = port }) => (last === port ? port : `${port}-${last}`)).join(', ')} }`
