import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { rounded } from '../figures.ts'
import { load } from '../load/load.ts'
import type { Row } from '../row.ts'
import { memoryOf } from '../server.ts'
import { type World, withPanel } from '../world.ts'

const settle = 2_000
const baseline = 'node:http, idle'

/** Node's own server without anything else. */
async function withNode<T>(work: (pid: number) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, ['-e', "require('node:http').createServer(() => {}).listen(0, '127.0.0.1')"])
  try {
    return await work(child.pid!)
  } finally {
    child.kill()
  }
}

/** Memory that the process holds: idle, and the most of it under load. */
export const measure = ({ middle }: World): Promise<Row[]> =>
  withNode((bare) =>
    withPanel(middle, async ({ url, pid }) => {
      await sleep(settle)
      const [floor, idle] = [memoryOf(bare).now, memoryOf(pid).now]
      for (const path of [`/accounts/${middle.account.id}`, '/accounts?per_page=500', '/events?limit=500'])
        await load({ url: url + path, token: middle.token })
      const row = (what: string, value: number): Row => ({
        what,
        value: rounded(value),
        unit: 'MB',
        ratios: { [baseline]: rounded(value / floor) },
      })
      return [row('memory, idle', idle), row('memory, most under load', memoryOf(pid).peak)]
    }),
  )
