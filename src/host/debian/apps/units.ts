import type { Run } from '../commands.ts'
import { stateFields, stateOf, type UnitState } from './state.ts'
import { allAppUnits, allBuildUnits } from './unit.ts'

const systemctl = '/usr/bin/systemctl'
/** systemctl's exit codes for an unknown unit. */
const fine = [1, 3, 5]
const more = 15_000

/** The systemd units of tenants' programs. */
export class Units {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  start(words: readonly string[]): Promise<string> {
    return this.#run('/usr/bin/systemd-run', words, { stage: 'stage' })
  }

  async state(unit: string): Promise<UnitState> {
    const fields = stateFields.map((name) => `--property=${name}`)
    return stateOf(await this.#run(systemctl, ['show', ...fields, unit], { fine }))
  }

  /** Asks all its processes to end, and kills the rest after the grace period. */
  async stop(unit: string, graceMs: number): Promise<void> {
    await this.#run(systemctl, ['stop', unit], { fine, timeout: graceMs + more })
  }

  /** Kills all their processes without waiting. */
  async killAll(...units: readonly string[]): Promise<void> {
    await this.#run(systemctl, ['kill', '--kill-whom=all', '--signal=KILL', ...units], { fine })
  }

  async kill(...units: readonly string[]): Promise<void> {
    await this.killAll(...units)
    await this.#run(systemctl, ['stop', ...units], { fine })
    await this.forget(...units)
  }

  /** A tenant's failed program must not count as a failed machine. */
  async forget(...units: readonly string[]): Promise<void> {
    await this.#run(systemctl, ['reset-failed', ...units], { fine })
  }

  /** All existing units of apps and builds. */
  async all(): Promise<string[]> {
    const words = ['list-units', '--all', '--plain', '--no-legend', '--no-pager', allAppUnits, allBuildUnits]
    const output = await this.#run(systemctl, words, { fine })
    return output.split('\n').flatMap((line) => /^\s*(panel-(?:app|build)-\S+\.service)\s/.exec(line)?.[1] ?? [])
  }
}
