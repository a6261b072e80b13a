import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationList } from '../../src/contract/index.ts'
import { type Declaration, pathChoices } from '../../src/contract/operation.ts'
import { defaultLimits } from '../../src/runtime/operations/limits.ts'
import { type Reply, TestPanel } from '../harness.ts'
import { png } from '../resellers/images.ts'
import { unknown } from '../world.ts'
import { addPasskeys, type Caller, type Cast, deletePasskeys, makeCast, setAcl } from './cast.ts'
import { expected } from './expected.ts'
import { check, passes } from './verdict.ts'

const named = operationList.map((op) => [op.id, op] as const)
/** The whole table runs in an instant of the fake clock: more than a customer may change at once. */
const limits = { ...defaultLimits, customer: { burst: 10_000, perSecond: 5 } }
let panel: TestPanel
let cast: Cast

beforeAll(async () => {
  panel = await new TestPanel({ limits }).start()
  cast = await makeCast(panel)
  const headers = { 'Content-Type': 'application/octet-stream' }
  await panel.send('PUT', '/settings/brand/logo', { body: logo, headers })
})
afterAll(() => panel.stop())

test('the table names every operation, and nothing else', () => {
  expect([...expected.keys()].sort()).toEqual(operationList.map(({ id }) => id).sort())
})

describe('rights of each caller', () => {
  beforeAll(() => addPasskeys(panel))
  afterAll(() => deletePasskeys(panel))
  test.each(named)('lets each caller do exactly what it may: %s', async (_, op) => {
    await compare(op, cast.callers)
  })
})

describe('caller who must first set up the second factor', () => {
  beforeAll(() => panel.patch('/settings', { two_factor_required: 'everyone' }))
  test.each(named)('allows setting it up and signing out, and nothing else: %s', async (_, op) => {
    const signedIn = cast.callers.filter(({ by, type }) => by === 'session' && type !== 'nobody')
    await compare(
      op,
      signedIn.map((caller) => ({ ...caller, restricted: caller.acting !== true })),
    )
  })
})

async function compare(op: Declaration, callers: readonly Caller[]): Promise<void> {
  const received: Record<string, string> = {}
  for (const able of [true, false]) {
    await setAcl(cast, op, able)
    for (const caller of callers) {
      if ((caller.able ?? true) === able) received[caller.name] = outcome(op, await ask(op, caller))
    }
  }
  expect(received).toEqual(Object.fromEntries(callers.map((caller) => [caller.name, check(op, caller)])))
}

const logo = png(8, 8)

/** Required parameters of a read. */
const queries: Record<string, string> = {
  checkAccount: '?username=new',
  checkBan: '?address=203.0.113.7',
  checkBanForAccount: '?address=203.0.113.7',
  lookup: '?name=new',
  lookupForAccount: '?name=new',
  getBrandLogo: `?sha256=${createHash('sha256').update(logo).digest('hex')}`,
  redeemLink: '?token=unknown',
  readFile: '?path=missing',
  listBackupEntries: '?part=config',
  tailLog: `?domain_id=${unknown}`,
  downloadLog: `?domain_id=${unknown}&day=2026-01-01`,
}

/** A change has an unknown field: an authorized caller gets that error, and nothing changes. */
function ask(op: Declaration, { send, objects }: Caller): Promise<Reply> {
  const path = pathOf(op, objects) + (queries[op.id] ?? '')
  if (op.raw === 'body')
    return panel.send(op.method.toUpperCase(), `${path}?unexpected=1`, { ...send, ...octets(send) })
  return panel.send(op.method.toUpperCase(), path, op.method === 'get' ? send : { ...send, body: { unexpected: 1 } })
}

const octets = ({ headers }: Caller['send']) => ({
  body: 'x',
  headers: { ...headers, 'Content-Type': 'application/octet-stream' },
})

const pathOf = (op: Declaration, objects: ReadonlyMap<string, string>): string =>
  op.path.replace(
    /\{(\w+)\}/g,
    (written, name: string, at: number) => pathChoices(op, name)?.[0] ?? objects.get(op.path.slice(0, at) + written)!,
  )

function outcome(op: Declaration, { status, code, body }: Reply): string {
  const passed = op.method === 'get' ? status === op.status : status === 400 && body.fields?.unexpected !== undefined
  const opened = op.id === 'redeemLink' && body.detail?.startsWith('The link has been used')
  const looked = op.raw === 'answer' && body.detail === 'There is nothing at missing.'
  const foreign = op.area === 'logs' && body.fields?.domain_id !== undefined
  const unmade = op.id === 'downloadDatabase' && body.detail?.startsWith('There is no export of this database')
  const unread = op.id === 'listBackupEntries' && body.detail?.startsWith('The backup is being read')
  const untrusted = op.area === 'wordpress' && body.detail === 'This server does not run commands of accounts.'
  return passed || opened || looked || foreign || unmade || unread || untrusted ? passes : `${status} ${code}`
}
