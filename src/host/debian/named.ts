import { zoneOf } from './checks.ts'
import type { Run } from './commands.ts'

const rndc = '/usr/sbin/rndc'
/** Above this many zones, reload all of them at once. */
const most = 20

/** Makes named read its files: first new zones, then changed ones. */
export async function reloadNamed(run: Run, paths: ReadonlySet<string> | undefined): Promise<void> {
  const zones = paths && [...paths].flatMap((path) => zoneOf(path) ?? [])
  if (!zones || zones.length > most) {
    await run(rndc, ['reconfig'])
    await run(rndc, ['reload'])
    return
  }
  if (paths.size > zones.length) await run(rndc, ['reconfig'])
  // A removed zone is unknown by now.
  await Promise.all(zones.map((zone) => run(rndc, ['reload', zone], { fine: [1] })))
}
