import { expect, test } from 'vitest'
import { functions } from '../../src/whm/table.ts'
import { startPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { Front, startFront } from './front.ts'

/** What a caller may not call, whatever its parameters are. */
async function deniedTo(front: Front): Promise<string[]> {
  const denied: string[] = []
  for (const name of functions.keys()) {
    const { body } = await front.send(name, { query: { 'api.version': '1' } })
    if (/^Permission denied/.test(body.metadata.reason)) denied.push(name)
  }
  return denied
}

const listed = async (front: Front): Promise<string[]> => (await front.ok('applist')).app

test('applist names every function for root', async () => {
  const front = await startFront(['accounts:write', 'packages:write', 'server:write'])
  expect((await listed(front)).sort()).toEqual([...functions.keys()].sort())
})

test.each([
  [[], []],
  [['list-accts'], ['listaccts']],
  [['suspend-acct'], ['suspendacct', 'unsuspendacct']],
  [
    ['create-acct', 'kill-acct'],
    ['createacct', 'removeacct'],
  ],
  [
    ['add-pkg', 'edit-pkg'],
    ['addpkg', 'editpkg'],
  ],
])('applist names for a reseller with %j what it may call, and nothing else', async (privileges, some) => {
  const panel = await startPanel()
  const { id } = await panel.account('rita')
  const front = new Front(panel, await resellerToken(panel, id, privileges as never))
  const names = await listed(front)
  const denied = await deniedTo(front)
  expect(names.filter((name) => denied.includes(name))).toEqual([])
  expect([...functions.keys()].filter((name) => !denied.includes(name) && !names.includes(name))).toEqual([])
  expect(names).toEqual(expect.arrayContaining([...some]))
  expect(names).not.toContain('setupreseller')
})
