import { randomBytes } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountName } from '../contract/account.ts'
import type { BegunRun, CommandEnd, CronCommand } from '../contract/commands/cron.ts'
import { HostError } from '../contract/error.ts'
import { homeOf } from '../homes/home-paths.ts'
import { runCommand } from './command.ts'
import type { Tenant } from './environment.ts'
import { markOf, runMarkOf } from './mark.ts'
import { type PhpScript, runPhp } from './php.ts'
import { endAll, killNow } from './processes.ts'

/** Runs tenants' commands on a host. */
export interface TenantCommands {
  runCron(command: CronCommand, signal?: AbortSignal): Promise<CommandEnd>
  /** Absent if commands do not outlive the agent. */
  awaitCron?(begun: BegunRun, signal?: AbortSignal): Promise<CommandEnd | undefined>
  /** Runs a PHP script as its tenant, without a network where tenants have users; returns what it prints. */
  runPhp(script: PhpScript, signal?: AbortSignal): Promise<string>
  /** Ends what a crash left running. */
  recover(): Promise<void>
  /** Ends everything that an account runs; resolves when it is gone. */
  end(account: AccountName): Promise<void>
  /** Deletes what is kept of an account's runs, none of which is still running. */
  forget?(account: AccountName): void
  /** For a process that is about to exit. */
  endNow(): void
}

/**
 * Runs tenants' commands as the agent's own user: this host has no users for tenants. It must have been allowed
 * explicitly, as any user who may deploy or write a command is then as powerful as the panel.
 */
export class Tenants implements TenantCommands {
  readonly #root: string
  readonly #trusted: boolean

  constructor(root: string, trusted: boolean) {
    this.#root = root
    this.#trusted = trusted
  }

  async runCron({ account, run, command, timeoutS }: CronCommand, signal?: AbortSignal): Promise<CommandEnd> {
    const tenant = this.#tenant(account, run)
    return runCommand({ ...tenant, command, timeoutMs: timeoutS * 1000, signal })
  }

  async runPhp({ account, ...script }: PhpScript, signal?: AbortSignal): Promise<string> {
    return runPhp({ ...this.#tenant(account, randomBytes(8).toString('hex')), ...script, signal })
  }

  #tenant({ id, username }: AccountName, run: string): Tenant {
    if (!this.#trusted) throw new HostError('stage', 'This server does not run commands of accounts.')
    const home = join(this.#root, homeOf(username))
    if (!lstatSync(home, { throwIfNoEntry: false })?.isDirectory())
      throw new HostError('stage', `The home of ${username} is missing.`)
    return { username, home, mark: runMarkOf(this.#root, id, run) }
  }

  /** Regardless of whether it is still allowed. */
  recover(): Promise<void> {
    return endAll({ mark: markOf(this.#root) })
  }

  async end({ id }: AccountName): Promise<void> {
    if (this.#trusted) await endAll({ mark: `${markOf(this.#root, id)}/` })
  }

  endNow(): void {
    if (this.#trusted) killNow({ mark: markOf(this.#root) })
  }
}
