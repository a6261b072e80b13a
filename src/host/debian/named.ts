import { zoneOf } from './checks.ts'
import type { Run } from './commands.ts'

const rndc = '/usr/sbin/rndc'
/** More zones are not named one by one. */
const most = 20

/** Has named take up its files: new zones first, then those that have changed. */
export async function reloadNamed(run: Run, paths: ReadonlySet<string> | undefined): Promise<void> {
  const zones = paths && [...paths].flatMap((path) => zoneOf(path) ?? [])
  if (!zones || zones.length > most) {
    await run(rndc, ['reconfig'])
    await run(rndc, ['reload'])
    return
  }
  if (paths.size > zones.length) await run(rndc, ['reconfig'])
  // One that was taken away is not known any more.
  await Promise.all(zones.map((zone) => run(rndc, ['reload', zone], { fine: [1] })))
}
