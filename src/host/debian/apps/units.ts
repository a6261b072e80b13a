import type { Run } from '../commands.ts'
import { stateFields, stateOf, type UnitState } from './state.ts'
import { allAppUnits, allBuildUnits } from './unit.ts'

const systemctl = '/usr/bin/systemctl'
/** What systemctl answers of a unit that it does not know. */
const fine = [1, 3, 5]
const more = 15_000

/** The units of tenants' programs, as systemd keeps them. */
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

  /** Asks all that it runs to end, and kills what has not ended when its time is over. */
  async stop(unit: string, graceMs: number): Promise<void> {
    await this.#run(systemctl, ['stop', unit], { fine, timeout: graceMs + more })
  }

  /** Kills all that these run; it is not waited for. */
  async killAll(...units: readonly string[]): Promise<void> {
    await this.#run(systemctl, ['kill', '--kill-whom=all', '--signal=KILL', ...units], { fine })
  }

  async kill(...units: readonly string[]): Promise<void> {
    await this.killAll(...units)
    await this.#run(systemctl, ['stop', ...units], { fine })
    await this.forget(...units)
  }

  /** The machine has not failed where a tenant's program has. */
  async forget(...units: readonly string[]): Promise<void> {
    await this.#run(systemctl, ['reset-failed', ...units], { fine })
  }

  /** The units of apps and builds that there are. */
  async all(): Promise<string[]> {
    const words = ['list-units', '--all', '--plain', '--no-legend', '--no-pager', allAppUnits, allBuildUnits]
    const told = await this.#run(systemctl, words, { fine })
    return told.split('\n').flatMap((line) => /^\s*(panel-(?:app|build)-\S+\.service)\s/.exec(line)?.[1] ?? [])
  }
}
