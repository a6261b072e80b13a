import { spawnSync } from 'node:child_process'
import { inTurn, ratioOf } from '../compare.ts'
import { median, rounded } from '../figures.ts'
import { type World, withPanel } from '../world.ts'

const times = 9

/** From the start of the process until it listens, beside the start of Node itself. */
export async function measure({ middle }: World) {
  const node = async () => {
    const began = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    return performance.now() - began
  }
  const taken = await inTurn({ panel: () => withPanel(middle, async ({ startup }) => startup), node }, times)
  const value = rounded(median(taken['panel']!))
  return [{ what: 'start-up', value, unit: 'ms', ratios: { 'node -e 0': ratioOf(taken['panel']!, taken['node']!) } }]
}
