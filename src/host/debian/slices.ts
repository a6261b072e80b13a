import type { AccountState } from '../contract/driver.ts'
import type { Plan } from '../install/plan.ts'
import { type LimitsState, sliceProperties, slicesOf } from '../parts/limits.ts'
import type { Run } from './commands.ts'

const systemctl = '/usr/bin/systemctl'
const dropIn = /^etc\/systemd\/system\/((?:panel|user)-[a-z0-9]+\.slice)\.d\//

/** Slice limits take effect at once, without a systemd reload, which reads the files only at its next start. */
export class Slices {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  async settle({ parts: { limits } }: AccountState, plans: readonly Plan[]): Promise<void> {
    const paths = plans.flatMap(({ changes }) => changes.map(({ path }) => path))
    for (const slice of new Set(paths.flatMap((path) => dropIn.exec(path)?.[1] ?? []))) await this.#set(slice, limits)
  }

  /** A device without a controller must not prevent the other limits from being set. */
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

  /** Removes what remains of an account's slices after its processes have ended. */
  async forget(account: { readonly username: string; readonly uid: number }): Promise<void> {
    await this.#run(systemctl, ['stop', ...slicesOf(account)], { fine: [1, 5] })
    await this.#run(systemctl, ['revert', ...slicesOf(account)], { fine: [1, 5] })
  }
}
