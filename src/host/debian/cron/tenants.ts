import type { AccountName } from '../../account.ts'
import type { CommandEnd, CronCommand } from '../../commands.ts'
import type { TenantCommands } from '../../tenant/tenants.ts'
import { allBuildUnits, appUnits, buildUnits } from '../apps/unit.ts'
import type { Run } from '../commands.ts'
import { mailOutput } from './mail.ts'
import { runCommand } from './run.ts'
import { allUnits, unitsOf } from './unit.ts'

const systemctl = '/usr/bin/systemctl'

/** What tenants run on a Debian machine: each command a unit in the slice of its account. */
export class DebianCommands implements TenantCommands {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  async runCron(command: CronCommand, signal?: AbortSignal): Promise<CommandEnd> {
    const end = await runCommand(this.#run, command, signal)
    // The run is over whatever becomes of the mail.
    await mailOutput(this.#run, command, end).catch(({ message }: Error) => console.warn(message))
    return end
  }

  /** What a former agent began is not waited for. */
  recover(): Promise<void> {
    return this.#stop(allUnits, allBuildUnits)
  }

  end({ username }: AccountName): Promise<void> {
    return this.#stop(unitsOf(username), buildUnits(username), appUnits(username))
  }

  /** They end by themselves, or with the next agent. */
  endNow(): void {}

  async #stop(...units: readonly string[]): Promise<void> {
    await this.#run(systemctl, ['kill', '--kill-whom=all', '--signal=KILL', ...units], { fine: [1, 5] })
    await this.#run(systemctl, ['stop', ...units], { fine: [1, 5] })
    await this.#run(systemctl, ['reset-failed', ...units], { fine: [1, 5] })
  }
}
