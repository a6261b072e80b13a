import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, ended, ensureBuilt, environment } from './run.ts'
import { type Stub, startStub } from './stub.ts'

/** Measured: 1.2, 1.7 and 1.25. Other work on the machine moves them a little. */
const most = { list: { ofOneRequest: 1.45, ofNode: 2.2 }, completion: { ofNode: 1.6 } }
const rounds = 15

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
})
afterAll(() => stub.close())

/** Milliseconds of CPU that node takes for this, as bash tells them. */
async function cpu(...words: string[]): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1'
  const env = environment({ PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x', LC_ALL: 'C' })
  const { stderr } = await ended(spawn('bash', ['-c', script, 'bash', process.execPath, ...words], { env }))
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return (user + system) * 1000
}

/** The least that Node needs for one request. */
const bareRequest = () =>
  `require('node:http').get(${JSON.stringify(`${stub.url}/api/v1/accounts`)}, (answer) => answer.pipe(process.stdout))`

interface Sums {
  readonly node: number
  readonly bare: number
  readonly list: number
  readonly completion: number
}

/** The sums of some rounds taken in turn: the kernel counts in ticks, so that single figures are coarse. */
async function sums(): Promise<Sums> {
  const sum = { node: 0, bare: 0, list: 0, completion: 0 }
  for (let round = 0; round < rounds; round++) {
    sum.node += await cpu('-e', '0')
    sum.bare += await cpu('-e', bareRequest())
    sum.list += await cpu(bin, 'accounts', 'list')
    sum.completion += await cpu(bin, '__complete', '--', 'accounts', 'sus')
  }
  return sum
}

test('a command takes little more than Node itself', { retry: 2, timeout: 90_000 }, async () => {
  const { node, bare, list, completion } = await sums()
  expect(list / bare, 'a list, of the least for one request').toBeLessThan(most.list.ofOneRequest)
  expect(list / node, 'a list, of an empty program').toBeLessThan(most.list.ofNode)
  expect(completion / node, 'a completion, of an empty program').toBeLessThan(most.completion.ofNode)
})
