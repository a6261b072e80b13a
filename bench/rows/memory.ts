import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { rounded } from '../figures.ts'
import { load } from '../load/load.ts'
import { ask } from '../panel.ts'
import type { Row } from '../row.ts'
import { childrenOf, memoryOf } from '../server.ts'
import { copyOf, type World, withPanel } from '../world.ts'

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

const account = { username: 'm0000001', domain: 'm0000001.example' }

/** What the host's agent holds when it has made an account and waits for more to do. */
const agentOf = (world: World): Promise<number> => {
  const { directory } = copyOf(world.middle)
  return withPanel({ ...world.middle, directory }, async ({ pid }) => {
    await ask(directory, 'POST', '/accounts', account)
    await sleep(settle)
    return memoryOf(childrenOf(pid)[0]!).now
  })
}

/** Memory that the process holds: idle, and the most of it under load. */
export const measure = (world: World): Promise<Row[]> =>
  withNode(async (bare) => {
    const { middle } = world
    const agent = await agentOf(world)
    return withPanel(middle, async ({ url, pid }) => {
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
      const peak = memoryOf(pid).peak
      return [
        row('memory, idle', idle),
        row('memory, idle, the host agent', agent),
        row('memory, most under load', peak),
      ]
    })
  })
