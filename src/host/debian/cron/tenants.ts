import type { AccountName } from '../../contract/account.ts'
import type { BegunRun, CommandEnd, CronCommand } from '../../contract/commands/cron.ts'
import { HostError } from '../../contract/error.ts'
import type { PhpScript } from '../../tenant/php.ts'
import type { TenantCommands } from '../../tenant/tenants.ts'
import { allBuildUnits, appUnits, buildUnits } from '../apps/unit.ts'
import type { Run } from '../commands.ts'
import { allScriptUnits, runScript, scriptUnits } from '../php/run-php.ts'
import { allWorkUnits } from '../worker/scope.ts'
import { CronRuns } from './runs.ts'
import { unitsOf } from './unit.ts'

const systemctl = '/usr/bin/systemctl'

/** Runs tenants' commands on a Debian machine: each as a unit in its account's slice. */
export class DebianCommands implements TenantCommands {
  readonly #run: Run
  readonly #runs: CronRuns

  constructor(run: Run, root = '/') {
    this.#run = run
    this.#runs = new CronRuns(run, root)
  }

  async runCron(command: CronCommand, signal?: AbortSignal): Promise<CommandEnd> {
    signal?.throwIfAborted()
    await this.#runs.begin(command)
    const end = await this.#runs.end(command, signal)
    if (!end) throw new HostError('stage', 'The machine lost track of the command.')
    return end
  }

  awaitCron(begun: BegunRun, signal?: AbortSignal): Promise<CommandEnd | undefined> {
    return this.#runs.end(begun, signal)
  }

  runPhp(script: PhpScript, signal?: AbortSignal): Promise<string> {
    return runScript(this.#run, script, signal)
  }

  /** Runs of an earlier agent go on; its builds and scripts, and its work in homes, are abandoned. */
  async recover(): Promise<void> {
    await this.#stop(...(await this.#runs.strays()), allBuildUnits, allScriptUnits, allWorkUnits)
  }

  end({ username }: AccountName): Promise<void> {
    return this.#stop(unitsOf(username), buildUnits(username), scriptUnits(username), appUnits(username))
  }

  forget({ id }: AccountName): void {
    this.#runs.forget(id)
  }

  /** They end by themselves, or are ended by the next agent. */
  endNow(): void {}

  async #stop(...units: readonly string[]): Promise<void> {
    await this.#run(systemctl, ['kill', '--kill-whom=all', '--signal=KILL', ...units], { fine: [1, 5] })
    await this.#run(systemctl, ['stop', ...units], { fine: [1, 5] })
    await this.#run(systemctl, ['reset-failed', ...units], { fine: [1, 5] })
  }
}
