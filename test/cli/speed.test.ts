import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, ended, ensureBuilt, environment } from './run.ts'
import { type Stub, startStub } from './stub.ts'

const most = 1.6
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

/** The sums of some rounds taken in turn: the kernel counts in ticks, so that single figures are coarse. */
async function ratio(): Promise<number> {
  let bare = 0
  let list = 0
  for (let round = 0; round < rounds; round++) {
    bare += await cpu('-e', bareRequest())
    list += await cpu(bin, 'accounts', 'list')
  }
  return list / bare
}

test('a list takes little more than Node itself for one request', { retry: 2, timeout: 60_000 }, async () => {
  expect(await ratio()).toBeLessThan(most)
})
