import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inTurn, ratioOf } from '../compare.ts'
import { median, rounded } from '../figures.ts'
import { type Load, load } from '../load/load.ts'
import type { Row } from '../row.ts'
import { type World, withPanel } from '../world.ts'

const seconds = 2
const script = fileURLToPath(new URL('../load/flood.ts', import.meta.url))

/** What others wait while three connections without credentials send bodies of 1 MiB as fast as they are taken. */
export const measure = ({ middle }: World): Promise<Row[]> =>
  withPanel(middle, async ({ url }) => {
    const others = () => load({ url: `${url}/auth/session`, connections: 16, seconds })
    const { idle = [], busy = [] } = await inTurn<Load>({
      idle: others,
      busy: () => during(`${url}/user/auth/login`, others),
    })
    const [p50, p99] = [busy.map((each) => each.p50), busy.map((each) => each.p99)]
    const ratios = {
      'its p50 when idle': ratioOf(
        p50,
        idle.map((each) => each.p50),
      ),
    }
    const what = 'a read beside a flood of 1 MiB bodies'
    return [
      { what, value: rounded(median(p50)), unit: 'ms', p50: rounded(median(p50)), p99: rounded(median(p99)), ratios },
    ]
  })

async function during(url: string, work: () => Promise<Load>): Promise<Load> {
  const sender = spawn(process.execPath, ['--import', 'tsx', script, url, String(5 * seconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(sender.stdout, 'data')
  try {
    return await work()
  } finally {
    sender.kill()
  }
}
