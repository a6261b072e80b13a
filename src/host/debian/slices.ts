import type { AccountState } from '../driver.ts'
import type { Plan } from '../install/plan.ts'
import { type LimitsState, sliceProperties, slicesOf } from '../parts/limits.ts'
import type { Run } from './commands.ts'

const systemctl = '/usr/bin/systemctl'
const dropIn = /^etc\/systemd\/system\/((?:panel|user)-[a-z0-9]+\.slice)\.d\//

/** The limits of slices bind at once, without a reload of systemd: what it reads at its next start are the files. */
export class Slices {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  async settle({ parts: { limits } }: AccountState, plans: readonly Plan[]): Promise<void> {
    const paths = plans.flatMap(({ changes }) => changes.map(({ path }) => path))
    for (const slice of new Set(paths.flatMap((path) => dropIn.exec(path)?.[1] ?? []))) await this.#set(slice, limits)
  }

  /** A device without a controller must not keep the other limits from binding. */
  async #set(slice: string, limits: LimitsState): Promise<void> {
    const properties = sliceProperties(limits).map(([name, value]) => `${name}=${value}`)
    const set = (some: readonly string[], fine: readonly number[]) =>
      this.#run(systemctl, ['set-property', '--runtime', slice, ...some], { fine })
    await set(
      properties.filter((one) => !one.startsWith('IO')),
      [],
    )
    await set(
      properties.filter((one) => one.startsWith('IO')),
      [1],
    )
  }

  /** What of an account's slices is left when its processes have ended. */
  async forget(account: { readonly username: string; readonly uid: number }): Promise<void> {
    await this.#run(systemctl, ['stop', ...slicesOf(account)], { fine: [1, 5] })
    await this.#run(systemctl, ['revert', ...slicesOf(account)], { fine: [1, 5] })
  }
}
