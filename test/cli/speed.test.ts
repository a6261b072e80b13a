import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, ended, ensureBuilt, environment } from './run.ts'
import { type Stub, startStub } from './stub.ts'

/** Measured: 1.3, 2.1 and 1.4. One request alone takes 1.6 times an empty program. */
const most = { list: { ofOneRequest: 1.45, ofNode: 2.2 }, completion: { ofNode: 1.6 } }
const rounds = { least: 5, most: 40 }

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

type Name = 'node' | 'bare' | 'list' | 'completion'
type Least = Readonly<Record<Name, number>>

/** What took too long, by the least that each took so far. */
const faults = ({ node, bare, list, completion }: Least): string[] =>
  [
    ['a list, of the least for one request', list / bare, most.list.ofOneRequest],
    ['a list, of an empty program', list / node, most.list.ofNode],
    ['a completion, of an empty program', completion / node, most.completion.ofNode],
  ].flatMap(([what, ratio, limit]) => (ratio! > limit! ? [`${what}: ${ratio}, more than ${limit}`] : []))

/** The least of some rounds, taken in turn: other work on the machine only ever adds. More rounds where that is not enough. */
async function least(): Promise<Least> {
  const words: Readonly<Record<Name, readonly string[]>> = {
    node: ['-e', '0'],
    bare: ['-e', bareRequest()],
    list: [bin, 'accounts', 'list'],
    completion: [bin, '__complete', '--', 'accounts', 'sus'],
  }
  const never = Number.POSITIVE_INFINITY
  const found: Record<Name, number> = { node: never, bare: never, list: never, completion: never }
  for (let round = 0; round < rounds.most && (round < rounds.least || faults(found).length > 0); round++)
    for (const name of Object.keys(words) as Name[]) found[name] = Math.min(found[name], await cpu(...words[name]))
  return found
}

test('a command takes little more than Node itself', { timeout: 60_000 }, async () => {
  expect(faults(await least())).toEqual([])
})
