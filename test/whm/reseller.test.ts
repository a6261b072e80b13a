import { expect, test } from 'vitest'
import { functions } from '../../src/whm/table.ts'
import { startPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { Front } from './front.ts'

/** Every parameter that a function could need, each of another owner. */
const of = (user: string) => ({
  user,
  reseller: user,
  domain: `${user}.example`,
  newuser: 'stolen',
  contactemail: 'x@y.example',
  pkg: 'secret',
  name: 'secret',
  pass: 'correct horse 1',
  quota: '1',
  bwlimit: '1',
  ip: '192.0.2.1',
  service: 'cpaneld',
  acllist: 'shop',
  account_limit: '5',
})

/** What returns 1 to any caller, about itself; it may see root's packages, and create some. */
const answered = ['version', 'applist', 'listaccts', 'showbw', 'get_nameserver_config', 'get_domain_info']
const ofPackages = ['listpkgs', 'getpkginfo', 'addpkg']

test("a reseller with every privilege cannot change another's account, root's package or its own limits", async () => {
  const panel = await startPanel()
  await panel.account('alice')
  const { id } = await panel.account('rita')
  await panel.post('/packages', { name: 'secret' })
  const front = new Front(panel, await resellerToken(panel, id, ['all']))
  const rows = () =>
    ['accounts', 'packages', 'jobs'].map((table) => panel.store.sqlite.prepare(`SELECT * FROM ${table}`).all())
  const before = rows()
  panel.forget()
  for (const name of [...functions.keys()].filter((name) => !ofPackages.includes(name)))
    for (const user of ['alice', 'rita'])
      for (const version of ['0', '1']) {
        const { status, text, body } = await front.send(name, { query: { 'api.version': version, ...of(user) } })
        expect(status, name).toBe(200)
        if (version === '1') expect(body.metadata.result, text).toBe(answered.includes(name) ? 1 : 0)
        if (answered.includes(name)) expect(text).not.toContain('alice')
      }
  expect(panel.events()).toEqual([])
  expect(rows()).toEqual(before)
})

test('a reseller can never raise its own limits, even if it owns itself', async () => {
  const panel = await startPanel()
  const made = await panel.post('/accounts', {
    username: 'rita',
    domain: 'rita.example',
    make_reseller: true,
    owns_itself: true,
  })
  await panel.settle()
  const front = new Front(panel, await resellerToken(panel, made.body.account.id, ['all']))
  expect((await front.ok('accountsummary', { user: 'rita' })).acct[0].owner).toBe('rita')
  panel.forget()
  const limits = { user: 'rita', account_limit: '500', diskspace_limit: '900000', enable_overselling: '1' }
  expect(await front.refused('setresellerlimits', limits)).not.toBe('')
  expect(panel.events()).toEqual([])
})
