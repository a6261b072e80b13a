import { spawnSync } from 'node:child_process'
import { inTurn, ratioOf } from '../compare.ts'
import { median, rounded } from '../figures.ts'
import { type Seeded, seed } from '../seed.ts'
import { type World, withPanel } from '../world.ts'

const times = 9
const max = 1_000_000

/** From the start of the process until it listens, beside the start of Node itself, and on a store of a million. */
export async function measure({ small, middle }: World) {
  const huge = await seed(max, max)
  const node = async () => {
    const began = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    return performance.now() - began
  }
  const panel = (seeded: Seeded) => () => withPanel(seeded, async ({ startup }) => startup)
  const taken = await inTurn({ few: panel(small), panel: panel(middle), many: panel(huge), node }, times)
  const value = (name: string) => rounded(median(taken[name]!))
  const ratio = (name: string, other: string) => ratioOf(taken[name]!, taken[other]!)
  return [
    { what: 'start-up', value: value('panel'), unit: 'ms', ratios: { 'node -e 0': ratio('panel', 'node') } },
    {
      what: `start-up, ${max.toLocaleString('en')} accounts`,
      value: value('many'),
      unit: 'ms',
      ratios: { 'start-up at 1,000': ratio('many', 'few') },
    },
  ]
}
